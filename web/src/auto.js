/**
 * The package with the core loaded by top-level await, so that the classes can
 * be used at once: `import { SvedaClient } from 'svedawasm/auto'`.
 *
 * @module
 */

import { load } from './index.js';

export * from './index.js';

await load();
