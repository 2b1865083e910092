/**
 * Requests of the client: where they go, what they carry, and how a body is
 * read without holding the page up.
 *
 * @module
 */

/** Bytes that are given to Go in one call, and between two turns of the event loop. */
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

/**
 * Reads a body in pieces that Go can take at once. After each 64 KiB the page
 * gets a turn.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {(piece: Uint8Array) => void} take
 * @param {AbortSignal} signal
 */
export async function readBody(body, take, signal) {
	const reader = body.getReader();
	const stop = () => void reader.cancel().catch(() => {});
	signal.addEventListener('abort', stop, { once: true });
	let since = 0;
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done || signal.aborted) return;
			for (let at = 0; at < value.length; at += chunkLimit) {
				const piece = value.subarray(at, at + chunkLimit);
				if (since + piece.length > chunkLimit) {
					await pause();
					since = 0;
					if (signal.aborted) return;
				}
				since += piece.length;
				take(piece);
				if (signal.aborted) return;
			}
		}
	} finally {
		signal.removeEventListener('abort', stop);
		if (signal.aborted) stop();
	}
}

/** @type {MessageChannel | undefined} */
let channel;
/** @type {(() => void)[]} */
const waiting = [];

/** Lets the event loop turn once; setTimeout would take 4 ms. */
function pause() {
	return new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
		const node = /** @type {{setImmediate?: (callback: () => void) => void}} */ (globalThis);
		if (typeof node.setImmediate === 'function') {
			node.setImmediate(() => resolve());
			return;
		}
		if (channel === undefined) {
			channel = new MessageChannel();
			channel.port1.onmessage = () => waiting.shift()?.();
		}
		waiting.push(resolve);
		channel.port2.postMessage(undefined);
	});
}
