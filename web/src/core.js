/**
 * One running instance of the Go program: memory in, frames out, and its death.
 *
 * Two ways lead in. Control calls go through the tables that Go sets on its own
 * global object (tens of microseconds); data goes through WebAssembly exports
 * (a tenth of a microsecond). Both take integers only: bytes are written into
 * Go's inbox before the call and read from its outbox after it.
 *
 * @module
 */

import { loadGo } from './wasm_exec.js';
import { SvedaError, SvedaLoadError, messageOf } from './errors.js';
import { lendWebSocket } from './socket.js';
import { version } from './build-info.js';

/** How much of Go's standard error is kept for the error of a crash. */
const stderrLimit = 8192;

/** How large an inbox may stay, in bytes (bridge.keptInbox). */
const keptInbox = 2 ** 20;

/** The length that stands for a field without a value (wasm/frame). */
const absent = 0xffffffff;

const encoder = new TextEncoder();
const empty = new Uint8Array(0);

/**
 * @typedef {Record<string, (...args: number[]) => number>} Table
 */

export class Core {
	/** @type {import('./wasm_exec.js').GoProgram} */ #go;
	/** @type {any} */ #exports;
	/** @type {Record<string, any>} */ #own;
	/** @type {Uint8Array} a view of Go's memory; growth detaches it */ #bytes = empty;
	#inbox = 0;
	#room = 0;
	#stderr = '';
	/** @type {SvedaError | undefined} */ #death;
	/** @type {Set<(error: SvedaError) => void>} */ #watchers = new Set();
	/** @type {Map<number, () => void>} what to call when a socket brought something */ #wakers = new Map();
	#closeSockets;

	/**
	 * Starts the program of a compiled module.
	 *
	 * @param {WebAssembly.Module} module
	 * @returns {Promise<Core>}
	 * @throws {SvedaLoadError} `compile-failed`, `version-mismatch`, `core-exited`
	 */
	static async start(module) {
		const core = new Core();
		/** @type {WebAssembly.Instance} */
		let instance;
		try {
			instance = await WebAssembly.instantiate(module, core.#go.importObject);
		} catch (error) {
			throw new SvedaLoadError('compile-failed', `instantiating the core: ${messageOf(error)}`, { cause: error });
		}
		core.#begin(instance);
		return core;
	}

	/** @private use start */
	constructor() {
		const own = (this.#own = Object.create(null));
		const Go = loadGo(own);
		own.fs.writeSync = (/** @type {number} */ _file, /** @type {Uint8Array} */ data) => {
			this.#stderr = (this.#stderr + new TextDecoder().decode(data)).slice(-stderrLimit);
			return data.length;
		};
		this.#closeSockets = lendWebSocket(own, () => this.alive);
		own.svedaWake = (/** @type {number} */ handle) => {
			queueMicrotask(() => {
				if (this.alive) this.#wakers.get(handle)?.();
			});
		};
		this.#go = new Go();
		this.#go.argv = ['sveda'];
		this.#go.exit = () => {}; // would print the exit code
		// Not the page's environment, which may be over the limit of 8 KB. The heap is a few
		// MiB: to let it double again before it is collected takes a third off 1,000 tool calls.
		this.#go.env = { GOGC: '200' };
	}

	/** @param {WebAssembly.Instance} instance */
	#begin(instance) {
		this.#exports = instance.exports;
		// run returns once main waits for calls; everything that main sets is there then.
		this.#go.run(instance).then(() => this.#die(), (error) => this.#die(error));
		const got = this.#own.svedaVersion;
		if (this.#go.exited || got === undefined) {
			throw new SvedaLoadError('core-exited', 'the core stopped before it was ready', {
				details: { goPanic: this.#stderr },
			});
		}
		if (got !== version) {
			throw new SvedaLoadError(
				'version-mismatch',
				`the loader is version ${JSON.stringify(version)}, the WebAssembly file is ${JSON.stringify(got)}: serve both from one release`,
			);
		}
	}

	/** Whether calls are possible. */
	get alive() {
		return this.#death === undefined;
	}

	/** Whether this build has WebSockets. */
	get hasSockets() {
		return this.#own.SvedaSocket !== undefined;
	}

	/**
	 * Calls back whenever the socket of a session has brought something.
	 *
	 * @param {number} handle of the session
	 * @param {() => void} waker
	 * @returns {() => void} forgets it
	 */
	onWake(handle, waker) {
		this.#wakers.set(handle, waker);
		return () => this.#wakers.delete(handle);
	}

	/**
	 * Calls back once when the program dies.
	 *
	 * @param {(error: SvedaError) => void} watcher
	 * @returns {() => void} stops watching
	 */
	onExit(watcher) {
		this.#watchers.add(watcher);
		return () => this.#watchers.delete(watcher);
	}

	/** Tells Go the time; it has no clock of its own. */
	tick() {
		this.enter('clock', performance.now(), Date.now());
	}

	/**
	 * Gives Go bytes of a response. This is the data path: it makes nothing.
	 *
	 * @param {number} handle of the session
	 * @param {number} stream
	 * @param {Uint8Array} bytes
	 * @returns {number} the length of the frame
	 * @throws {SvedaError} `core-exited`
	 */
	feed(handle, stream, bytes) {
		const length = this.write(bytes);
		if (this.#death) throw this.#death;
		let result;
		try {
			result = this.#exports.feed(handle, stream, length, performance.now(), Date.now());
		} catch (error) {
			throw this.#die(error);
		}
		if (this.#go.exited) throw this.#die();
		return result;
	}

	/**
	 * Writes bytes or text into the inbox.
	 *
	 * @param {Uint8Array | string} input
	 * @returns {number} the length in bytes, for the call that follows
	 */
	write(input) {
		if (typeof input !== 'string') {
			this.#open(input.length);
			this.#bytes.set(input, this.#inbox);
			return input.length;
		}
		const most = input.length * 3;
		this.#open(most);
		return encoder.encodeInto(input, this.#bytes.subarray(this.#inbox, this.#inbox + most)).written;
	}

	/**
	 * Writes fields into the inbox, each with its length before it.
	 *
	 * @param {...(Uint8Array | string | undefined)} fields undefined is an absent field
	 * @returns {number} the length in bytes, for the call that follows
	 */
	writeFields(...fields) {
		let most = 0;
		for (const field of fields) most += 4 + (typeof field === 'string' ? field.length * 3 : (field?.length ?? 0));
		this.#open(most);
		let at = this.#inbox;
		for (const field of fields) {
			let length = absent;
			if (typeof field === 'string') {
				length = encoder.encodeInto(field, this.#bytes.subarray(at + 4, this.#inbox + most)).written;
			} else if (field !== undefined) {
				length = field.length;
				this.#bytes.set(field, at + 4);
			}
			for (let i = 0; i < 4; i++) this.#bytes[at + i] = length >>> (8 * i);
			at += length === absent ? 4 : 4 + length;
		}
		return at - this.#inbox;
	}

	/** @param {number} size */
	#open(size) {
		// A large inbox is given back with the next small input.
		if (size > this.#room || (this.#room > keptInbox && size <= keptInbox)) {
			this.#inbox = this.enter('inbox', size) >>> 0;
			this.#room = Math.max(size, 2 ** 16); // bridge.Inbox makes at least this
		}
		this.#look();
	}

	/** Takes the view of memory again if it was detached. */
	#look() {
		if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#exports.mem.buffer);
	}

	/**
	 * Calls a WebAssembly export.
	 *
	 * @param {string} name
	 * @param {...number} args
	 * @returns {number}
	 * @throws {SvedaError} `core-exited`
	 */
	enter(name, ...args) {
		return this.#guard(this.#exports[name], args);
	}

	/**
	 * Calls a function of one of the tables that Go exports.
	 *
	 * @param {string} table such as `SvedaChatSession`
	 * @param {string} name
	 * @param {...number} args
	 * @returns {number}
	 * @throws {SvedaError} `core-exited`
	 */
	call(table, name, ...args) {
		return this.#guard(this.#own[table][name], args);
	}

	/**
	 * @param {(...args: number[]) => number} entry
	 * @param {number[]} args
	 */
	#guard(entry, args) {
		if (this.#death) throw this.#death;
		let result;
		try {
			result = entry(...args);
		} catch (error) {
			// A trap or a stack overflow left Go half way: the instance is lost.
			throw this.#die(error);
		}
		// A call during which the program exits returns as if nothing had been.
		if (this.#go.exited) throw this.#die();
		return result;
	}

	/**
	 * The frame that the last call left, valid until the next call.
	 *
	 * @param {number} length
	 * @returns {Uint8Array}
	 */
	frame(length) {
		if (length === 0) return empty;
		const start = this.enter('outbox') >>> 0;
		this.#look();
		return this.#bytes.subarray(start, start + length);
	}

	/**
	 * What the instance holds, for tests of leaks: bytes of linear memory (it
	 * never shrinks), JavaScript values that Go refers to, and how many of these
	 * are functions.
	 */
	get footprint() {
		const { _values, _idPool } = /** @type {any} */ (this.#go);
		return {
			memory: this.#exports.mem.buffer.byteLength,
			references: _values.length - _idPool.length,
			functions: _values.filter((/** @type {unknown} */ value) => typeof value === 'function').length,
		};
	}

	/**
	 * @param {unknown} [cause]
	 * @returns {SvedaError}
	 */
	#die(cause) {
		if (this.#death) return this.#death;
		this.#death = new SvedaError('core-exited', 'the WebAssembly core stopped; a new one is being started', {
			cause,
			details: { goPanic: this.#stderr },
		});
		for (const timer of this.#go._scheduledTimeouts.values()) clearTimeout(timer);
		this.#go._scheduledTimeouts.clear();
		this.#wakers.clear();
		this.#closeSockets();
		const watchers = [...this.#watchers];
		this.#watchers.clear();
		for (const watcher of watchers) watcher(this.#death);
		return this.#death;
	}
}
