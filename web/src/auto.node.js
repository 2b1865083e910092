/**
 * `svedawasm/auto` in Node.
 *
 * @module
 */

import { load } from './node.js';

export * from './node.js';

await load();
