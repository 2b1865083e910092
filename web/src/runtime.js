/**
 * The one core of this copy of the package, and its replacement after a crash.
 *
 * @module
 */

import { Core } from './core.js';
import { SvedaError } from './errors.js';

/** @type {Core | undefined} */
let current;
/** @type {WebAssembly.Module | undefined} kept, so that a restart compiles nothing */
let compiled;
/** @type {Promise<Core> | undefined} */
let restarting;

/**
 * The running core.
 *
 * @returns {Core}
 * @throws {SvedaError} `not-loaded` before `load()` is done, `core-exited`
 *   between a crash and the restart
 */
export function core() {
	if (current === undefined) {
		throw new SvedaError(
			'not-loaded',
			"the core is not loaded: await load() from 'svedawasm' first, or import 'svedawasm/auto'",
		);
	}
	return current;
}

/** Whether `load()` is done. */
export function isLoaded() {
	return current !== undefined;
}

/**
 * Starts the core from a compiled module and keeps it running: when it dies, a
 * new one is started from the same module.
 *
 * @param {WebAssembly.Module} module
 * @returns {Promise<Core>}
 */
export async function run(module) {
	const started = await Core.start(module);
	compiled = module;
	current = started;
	started.onExit(() => {
		restarting = run(module);
		// restarted() hands the failure to those who wait; nobody may be waiting.
		restarting.catch(() => {});
	});
	return started;
}

/**
 * The core that runs after the last crash.
 *
 * @returns {Promise<Core>}
 */
export function restarted() {
	return restarting ?? Promise.resolve(core());
}

/** The compiled module, to hand to a second realm; undefined before `load()`. */
export function module() {
	return compiled;
}
