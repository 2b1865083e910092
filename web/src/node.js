/**
 * The package in Node: `load()` reads the WebAssembly file from the disk.
 *
 * @module
 */

import { readFile } from 'node:fs/promises';
import * as api from './api.js';
import { SvedaLoadError, messageOf } from './errors.js';
import { fetchFile, loader } from './load.js';

export * from './api.js';

/**
 * Loads and starts the core, once for the whole process.
 */
export const load = loader(
	{
		url: new URL('./sveda.wasm', import.meta.url), file: 'sveda.wasm',
		sockets: { url: new URL('./sveda-ws.wasm', import.meta.url), file: 'sveda-ws.wasm' }, get: read,
	},
	api,
);

/** @type {import('./load.js').Source['get']} */
async function read(url, hash, signal) {
	const parsed = new URL(url);
	if (parsed.protocol !== 'file:') return fetchFile(parsed, hash, signal);
	try {
		return await readFile(parsed, { signal });
	} catch (error) {
		throw new SvedaLoadError('network', `reading the WebAssembly file: ${messageOf(error)}`, { cause: error });
	}
}
