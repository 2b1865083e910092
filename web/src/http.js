/**
 * Requests of the client: where they go, what they carry, and how a body is
 * read without holding the page up.
 *
 * @module
 */

/** Bytes that are given to Go in one call. */
export const chunkLimit = 64 * 1024;

/**
 * @typedef {(input: string, init: RequestInit) => Promise<Response>} FetchFunction
 *
 * @typedef {object} Endpoint how a client reaches its server
 * @property {FetchFunction | undefined} fetchFn
 * @property {RequestCredentials} credentials
 */

/**
 * Sends a request. It never follows a redirect: a token or a decision goes to
 * the server that was named and to no other (S63).
 *
 * @param {Endpoint} client
 * @param {string} url
 * @param {RequestInit} init method, headers and body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
export async function send(client, url, init, signal) {
	/** @type {RequestInit} */
	const full = { ...init, credentials: client.credentials, redirect: 'error' };
	if (signal !== undefined) full.signal = signal;
	const { fetchFn } = client;
	// The platform's fetch wants globalThis as this.
	return fetchFn === undefined ? globalThis.fetch(url, full) : fetchFn.call(globalThis, url, full);
}

/** Up to this many bytes of small chunks that came together are given to Go together. */
const gatherLimit = 16 * 1024;

/** A chunk of more bytes is not small: to copy it costs more than a call. */
const small = 4 * 1024;

/** How long a body may keep the page before it gets a turn, in milliseconds: half a frame. */
const turnLimit = 8;

/**
 * Reads a body in pieces that Go can take at once, and lets the page have a turn
 * when that took half a frame. The first chunk of a turn of the event loop is
 * taken at once; small ones that follow it in the same turn are gathered and
 * taken when it ends, because a call into Go and what it tells cost more than
 * their bytes.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {(piece: Uint8Array) => void} take
 * @param {AbortSignal} signal
 */
export async function readBody(body, take, signal) {
	const reader = body.getReader();
	let stopped = signal.aborted;
	const cancel = () => void reader.cancel().catch(() => {});
	const stop = () => {
		stopped = true;
		cancel();
	};
	signal.addEventListener('abort', stop, { once: true });
	/** @type {Uint8Array | undefined} */
	let gathered;
	let size = 0;
	let taken = false; // in this turn of the event loop
	let began = 0; // when the first chunk of the turn was taken
	/** @type {{error: unknown} | undefined} */
	let failure;
	const flush = () => {
		if (size === 0 || stopped) return;
		const length = size;
		size = 0;
		take(/** @type {Uint8Array} */ (gathered).subarray(0, length));
	};
	const turnEnds = () => {
		taken = false;
		try {
			flush();
		} catch (error) {
			failure = { error };
			cancel();
		}
	};
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (failure) throw failure.error;
			if (stopped) return;
			if (done) return flush();
			if (taken && value.length <= small && size + value.length <= gatherLimit) {
				copy(value, (gathered ??= new Uint8Array(gatherLimit)), size);
				size += value.length;
				continue;
			}
			flush();
			for (let at = 0; at < value.length; at += chunkLimit) {
				if (taken && performance.now() - began > turnLimit) await pause();
				if (failure) throw /** @type {{error: unknown}} */ (failure).error; // the pause may have ended badly
				if (stopped) return;
				if (!taken) {
					taken = true;
					began = performance.now();
					afterTurn(turnEnds);
				}
				take(value.subarray(at, at + chunkLimit));
			}
		}
	} catch (error) {
		if (!failure) flush(); // what came before the body failed counts
		throw error;
	} finally {
		signal.removeEventListener('abort', stop);
		if (stopped || signal.aborted || failure) cancel();
	}
}

/**
 * Copies bytes; for those of a single event a loop takes half of the time of `set`.
 *
 * @param {Uint8Array} from
 * @param {Uint8Array} to
 * @param {number} at
 */
function copy(from, to, at) {
	const { length } = from;
	if (length > 128) to.set(from, at);
	else for (let i = 0; i < length; i++) to[at + i] = from[i];
}

/** @type {MessageChannel | undefined} */
let channel;
/** @type {(() => void)[]} */
const waiting = [];

/** Lets the event loop turn once. */
function pause() {
	return new Promise((/** @type {(value?: unknown) => void} */ resolve) => afterTurn(resolve));
}

/**
 * Calls back in the next turn of the event loop; setTimeout would take 4 ms.
 *
 * @param {() => void} callback
 */
function afterTurn(callback) {
	const node = /** @type {{setImmediate?: (callback: () => void) => void}} */ (globalThis);
	if (typeof node.setImmediate === 'function') {
		node.setImmediate(callback);
		return;
	}
	if (channel === undefined) {
		channel = new MessageChannel();
		channel.port1.onmessage = () => waiting.shift()?.();
	}
	waiting.push(callback);
	channel.port2.postMessage(undefined);
}
