/**
 * Gets, checks, compiles and starts the WebAssembly file.
 *
 * @module
 */

import { SvedaLoadError, messageOf } from './errors.js';
import { integrity as hashes } from './build-info.js';
import { run } from './runtime.js';

/**
 * @typedef {object} LoadOptions
 * @property {string | URL} [wasmURL] where the WebAssembly file is served;
 *   by default beside the loader. Bundlers that do not follow
 *   `new URL('./sveda.wasm', import.meta.url)` (esbuild, Rollup) need it.
 * @property {WebAssembly.Module | Response | PromiseLike<Response> | BufferSource} [wasm]
 *   the file itself, instead of a URL
 * @property {'sse' | 'websocket' | 'auto'} [transport] which file is wanted: the
 *   one with WebSockets is larger. Default `sse`. Node before 22 has no
 *   WebSocket: set `globalThis.WebSocket` before.
 * @property {boolean | string} [integrity] the hash that the file must have, as
 *   in a subresource integrity; default true, the hash of this release. `false`
 *   checks nothing. A file given by `wasm` is checked only when this is set.
 * @property {number} [timeout] milliseconds until `ready-timeout`; default
 *   30000, 0 for none
 */

/**
 * @typedef {object} Source how one platform gets the file
 * @property {URL} url the default place
 * @property {string} file its name in build-info
 * @property {{url: URL, file: string}} sockets the file with WebSockets
 * @property {(url: URL | string, hash: string | undefined, signal: AbortSignal) => Promise<Response | BufferSource>} get
 */

/**
 * Makes `load`: one promise for all callers, forgotten when it fails, so that
 * the page may try again.
 *
 * @template T
 * @param {Source} source
 * @param {T} api what `load` gives
 */
export function loader(source, api) {
	/** @type {Promise<T> | undefined} */
	let loading;
	/**
	 * Loads and starts the core. Further calls return the same promise and their
	 * options are ignored; after a failure the next call starts anew.
	 *
	 * @param {LoadOptions} [options]
	 * @returns {Promise<T>} the classes
	 * @throws {SvedaLoadError} with a code
	 */
	return function load(options = {}) {
		loading ??= withDeadline(options.timeout ?? 30_000, async (signal) => {
			await run(await obtain(source, options, signal));
			return api;
		}).catch((error) => {
			loading = undefined;
			throw error;
		});
		return loading;
	};
}

/**
 * @param {Source} source
 * @param {LoadOptions} options
 * @param {AbortSignal} signal
 * @returns {Promise<WebAssembly.Module>}
 */
async function obtain(source, options, signal) {
	const { url, file } = (options.transport ?? 'sse') === 'sse' ? source : source.sockets;
	if (options.wasm !== undefined) {
		const given = await options.wasm;
		if (given instanceof WebAssembly.Module) return given;
		return compile(given, wanted(file, options.integrity ?? false));
	}
	const hash = wanted(file, options.integrity ?? true);
	const got = await source.get(options.wasmURL ?? url, hash, signal);
	// fetch has checked a Response; a file read from disk has not been.
	return compile(got, isResponse(got) ? undefined : hash);
}

/**
 * @param {string} file
 * @param {boolean | string} integrity
 */
function wanted(file, integrity) {
	return integrity === true ? hashes[file] : integrity || undefined;
}

/**
 * Fetches the file. To fetch, a wrong hash, an error page (which has a wrong
 * hash too) and a dead network are one TypeError: a HEAD request tells them
 * apart. The file is never used unchecked.
 *
 * @type {Source['get']}
 */
export async function fetchFile(url, hash, signal) {
	try {
		return await fetch(url, { integrity: hash, credentials: 'same-origin', signal });
	} catch (error) {
		signal.throwIfAborted();
		const head = hash === undefined ? undefined : await fetchHead(url, signal);
		if (head !== undefined) {
			if (!head.ok) throw statusError(head);
			throw new SvedaLoadError(
				'integrity-mismatch',
				`the WebAssembly file is not the one of this release (expected ${hash})`,
				{ cause: error },
			);
		}
		throw new SvedaLoadError('network', `fetching the WebAssembly file: ${messageOf(error)}`, { cause: error });
	}
}

/**
 * @param {URL | string} url
 * @param {AbortSignal} signal
 * @returns {Promise<Response | undefined>}
 */
async function fetchHead(url, signal) {
	try {
		return await fetch(url, { method: 'HEAD', cache: 'no-store', credentials: 'same-origin', signal });
	} catch {
		return undefined;
	}
}

/** @param {Response} response */
function statusError({ status }) {
	return new SvedaLoadError('http-status', `the WebAssembly file was answered with status ${status}`, { details: { status } });
}

/**
 * @param {Response | BufferSource} got
 * @param {string | undefined} hash
 */
async function compile(got, hash) {
	if (!isResponse(got)) {
		await check(got, hash);
		return compileBytes(got, '');
	}
	if (!got.ok) throw statusError(got);
	const type = got.headers.get('content-type') ?? '';
	if (hash !== undefined || typeof WebAssembly.compileStreaming !== 'function') {
		const bytes = await got.arrayBuffer();
		await check(bytes, hash);
		return compileBytes(bytes, type);
	}
	const copy = got.clone();
	let module;
	try {
		module = await WebAssembly.compileStreaming(got);
	} catch (error) {
		// A TypeError is a content type that is not exactly application/wasm.
		if (!(error instanceof TypeError)) throw compileError(error, type);
		return compileBytes(await copy.arrayBuffer(), type);
	}
	copy.body?.cancel().catch(() => {});
	return module;
}

/**
 * @param {BufferSource} bytes
 * @param {string} type
 */
async function compileBytes(bytes, type) {
	try {
		return await WebAssembly.compile(bytes);
	} catch (error) {
		throw compileError(error, type);
	}
}

/**
 * @param {unknown} error
 * @param {string} type
 */
function compileError(error, type) {
	const text = messageOf(error);
	if (/unsafe-eval|content security policy|\bCSP\b/i.test(text)) {
		return new SvedaLoadError(
			'csp-blocked',
			"the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to script-src",
			{ cause: error },
		);
	}
	const hint = type === '' || type.startsWith('application/wasm') ? '' : ` (it was served as ${type})`;
	return new SvedaLoadError('compile-failed', `compiling the WebAssembly file${hint}: ${text}`, { cause: error });
}

/**
 * @param {BufferSource} bytes
 * @param {string | undefined} hash
 */
async function check(bytes, hash) {
	if (hash === undefined) return;
	const digest = new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
	const got = `sha384-${btoa(String.fromCharCode(...digest))}`;
	if (got === hash) return;
	throw new SvedaLoadError(
		'integrity-mismatch',
		`the WebAssembly file is not the one of this release (expected ${hash}, got ${got})`,
	);
}

/**
 * @param {unknown} value
 * @returns {value is Response}
 */
function isResponse(value) {
	return typeof Response === 'function' && value instanceof Response;
}

/**
 * @template T
 * @param {number} milliseconds
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withDeadline(milliseconds, work) {
	const abort = new AbortController();
	/** @type {ReturnType<typeof setTimeout> | undefined} */
	let timer;
	const deadline = new Promise((_, reject) => {
		if (milliseconds <= 0) return;
		timer = setTimeout(() => {
			reject(new SvedaLoadError('ready-timeout', `the core was not ready after ${milliseconds} ms`));
			abort.abort();
		}, milliseconds);
	});
	try {
		return /** @type {T} */ (await Promise.race([deadline, work(abort.signal)]));
	} finally {
		clearTimeout(timer);
	}
}
