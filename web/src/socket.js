/**
 * The page's side of a WebSocket: the class that Go gets, and what a session's
 * socket needs of the page (a token, timers, hints). The bytes stay in Go.
 *
 * @module
 */

import { report } from './emitter.js';
import { Op } from './frame.js';
import { joinHeaders } from './headers.js';
import { onHint } from './hints.js';

/** How many close codes are kept for Go to ask. */
const keptCodes = 64;

/**
 * Gives the program a WebSocket class that makes up for what the Go library
 * lacks in a browser (WASM.md 2.9): it remembers close codes by the number that
 * Go names a socket with, it closes where the library would leave a socket
 * open, and when the program has died it lets no event reach it.
 *
 * @param {Record<string, any>} own the program's global object
 * @param {() => boolean} alive
 * @returns {() => void} closes every open socket
 */
export function lendWebSocket(own, alive) {
	const Platform = globalThis.WebSocket;
	if (Platform === undefined) return () => {};
	/** @type {Record<number, number>} */
	const codes = (own.svedaCloseCodes = {});
	/** @type {Set<WebSocket>} */
	const open = new Set();

	own.WebSocket = class extends Platform {
		/**
		 * @param {string | URL} url
		 * @param {string | string[]} [protocols]
		 */
		constructor(url, protocols) {
			super(url, protocols);
			const number = own.svedaSocketNumber;
			open.add(this);
			// These come before the library's own listeners.
			for (const name of ['open', 'message', 'error']) this.addEventListener(name, guard);
			this.addEventListener('close', (event) => {
				open.delete(this);
				codes[number] = event.code;
				delete codes[number - keptCodes];
				guard(event);
			});
		}

		/**
		 * @param {number} [code]
		 * @param {string} [reason]
		 */
		close(code, reason) {
			const allowed = code === undefined || code === 1000 || (code >= 3000 && code <= 4999);
			// The library then goes on as if the close had failed, which is right:
			// it must not wait for the other end here.
			if (!allowed) super.close(4000);
			super.close(code, reason);
		}
	};

	/** @param {Event} event */
	function guard(event) {
		if (!alive()) event.stopImmediatePropagation();
	}

	return () => {
		for (const socket of open) socket.close(1000);
		open.clear();
	};
}

/** The header names that carry a token (contract 1.2), in their order. */
const tokenHeaders = ['x-sveda-embed-token', 'authorization'];

/** The socket of one session. */
export class Socket {
	#client;
	#link;
	/** @type {(stream: number) => void} */ #unavailable;
	/** @type {(state: string) => void} */ #told;
	/** @type {Map<number, ReturnType<typeof setTimeout>>} */ #timers = new Map();
	#closed = false;
	#stopHints;

	/**
	 * @param {import('./client.js').SvedaClient} client
	 * @param {import('./link.js').Link} link
	 * @param {string} url ws or wss
	 * @param {boolean} fallback whether streams may be given back
	 * @param {{unavailable: (stream: number) => void, state: (state: string) => void}} outlet
	 */
	constructor(client, link, url, fallback, outlet) {
		this.#client = client;
		this.#link = link;
		this.#unavailable = outlet.unavailable;
		this.#told = outlet.state;
		link.socket('open', [fallback ? 1 : 0], [url, crypto.getRandomValues(new Uint8Array(16))]);
		this.#stopHints = onHint((hint) => {
			if (hint !== 'leaving') this.#tell('hint', []);
		});
	}

	/**
	 * Sends the request of a stream.
	 *
	 * @param {number} stream
	 * @param {string} context
	 * @returns {import('./link.js').WireRequest | undefined} a request that a
	 *   socket does not carry
	 */
	request(stream, context) {
		return this.#link.socket('request', [stream], [context]);
	}

	/** @param {number} stream */
	cancel(stream) {
		this.#link.socket('cancel', [stream]);
	}

	/**
	 * Does an effect of the socket.
	 *
	 * @param {import('./link.js').Effect} effect
	 */
	perform({ op, id, delay, text }) {
		switch (op) {
			case Op.SocketDial:
				void this.#dial(id);
				return;
			case Op.SocketTimer:
				clearTimeout(this.#timers.get(id));
				this.#timers.delete(id);
				if (delay > 0) this.#timers.set(id, setTimeout(() => this.#fire(id), delay));
				return;
			case Op.SocketFlush:
				this.#link.socket('flush', []);
				return;
			case Op.SocketState:
				this.#told(text);
				return;
			case Op.SocketUnavailable:
				this.#unavailable(id);
				return;
		}
	}

	/** Ends the link and everything that belongs to it. */
	close() {
		if (this.#closed) return;
		this.#closed = true;
		this.#stopHints();
		if (this.#link.core.alive) this.#link.socket('close', []);
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
	}

	/** How many timers run, for tests of leaks. */
	get load() {
		return this.#timers.size;
	}

	/** @param {number} attempt */
	async #dial(attempt) {
		let token = '';
		let failed = 0;
		try {
			token = tokenOf(await joinHeaders([], this.#client.headers));
		} catch {
			failed = 1;
		}
		this.#tell('connect', [attempt, failed], [token]);
	}

	/** @param {number} timer */
	#fire(timer) {
		this.#timers.delete(timer);
		this.#tell('fire', [timer]);
	}

	/**
	 * @param {string} name
	 * @param {readonly number[]} numbers
	 * @param {readonly string[]} [fields]
	 */
	#tell(name, numbers, fields) {
		if (this.#closed || !this.#link.core.alive) return;
		try {
			this.#link.socket(name, numbers, fields);
		} catch (error) {
			report(error);
		}
	}
}

/**
 * The token among the headers of a request; other headers do not go over a
 * socket.
 *
 * @param {Record<string, string>} headers
 */
function tokenOf(headers) {
	for (const wanted of tokenHeaders) {
		for (const [name, value] of Object.entries(headers)) {
			if (name.toLowerCase() === wanted && value !== '') return value.replace(/^bearer\s+/i, '').trim();
		}
	}
	return '';
}
