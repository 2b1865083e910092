/**
 * The package in a browser: `load()`, then the classes.
 *
 * @example
 * import { load } from 'svedawasm';
 * const { SvedaClient } = await load();
 *
 * @module
 */

import * as api from './api.js';
import { fetchFile, loader } from './load.js';

export * from './api.js';

/**
 * Loads and starts the core, once for the whole page.
 */
export const load = loader(
	// Bundlers look for this very expression to find the file.
	{
		url: new URL('./sveda.wasm', import.meta.url), file: 'sveda.wasm',
		sockets: { url: new URL('./sveda-ws.wasm', import.meta.url), file: 'sveda-ws.wasm' }, get: fetchFile,
	},
	api,
);
