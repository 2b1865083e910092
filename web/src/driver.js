/**
 * Does what the session asks for: requests, timers, handlers, promises. Nothing
 * here decides; every answer goes back as an input.
 *
 * @module
 */

import { report } from './emitter.js';
import { errorFrom, messageOf } from './errors.js';
import { Op } from './frame.js';
import { joinHeaders, retryAfter } from './headers.js';
import { readBody, send } from './http.js';
import { deepFreeze, parse, stringify } from './json.js';
import { isInexact } from './numbers.js';
import { Socket } from './socket.js';

/** Reasons of the entry "end" (session.EndReason). */
const EndReason = Object.freeze({ EOF: 0, NetworkFailed: 1, RequestFailed: 2 });

/** Effects that wait until what came before them is stored (session.Persist). */
const waits = /** @type {Set<number>} */ (new Set([Op.OpenStream, Op.RunTool, Op.Claim]));

/**
 * @typedef {import('./link.js').Effect} Effect
 *
 * @typedef {object} Site what the driver needs of the page
 * @property {import('./client.js').SvedaClient} client
 * @property {() => string} chatId
 * @property {import('./durability.js').Durability} durability
 * @property {(state: string) => void} connection is told the state of the session's WebSocket
 *
 * @typedef {object} Waiter
 * @property {(value: any) => void} resolve
 * @property {(error: unknown) => void} reject
 */

export class Driver {
	#site;
	/** @type {import('./link.js').Link} */ #link = /** @type {any} */ (undefined);
	/** @type {Map<number, AbortController>} */ #streams = new Map();
	/** @type {Map<number, AbortController>} */ #runs = new Map();
	/** @type {Map<number, ReturnType<typeof setTimeout>>} */ #timers = new Map();
	/** @type {Map<number, Waiter>} */ #waiters = new Map();
	/** @type {Socket | undefined} made for the first request that it carries */ #socket;
	#stopListening = () => {};
	#lastTicket = 0;
	#closed = false;
	/** @type {string | undefined} the context of the request that the next input opens */
	#context;

	/** @param {Site} site */
	constructor(site) {
		this.#site = site;
	}

	/** @param {import('./link.js').Link} link that answers go to */
	attach(link) {
		this.#link = link;
	}

	/**
	 * Calls an entry that settles a promise.
	 *
	 * @param {string} name
	 * @param {readonly number[]} numbers behind the ticket
	 * @param {readonly (string | undefined)[]} [fields]
	 * @returns {Promise<any>}
	 */
	ask(name, numbers, fields) {
		const ticket = ++this.#lastTicket;
		return new Promise((resolve, reject) => {
			this.#waiters.set(ticket, { resolve, reject });
			try {
				this.#link.call(name, [ticket, ...numbers], fields);
			} catch (error) {
				this.#waiters.delete(ticket);
				reject(error);
			}
		});
	}

	/**
	 * Reads the page's context for a turn that is about to start, so that a
	 * readable that throws stops it before anything is drawn (W19).
	 *
	 * @template T
	 * @param {() => T} start calls the entry that opens the request
	 * @returns {T}
	 */
	withContext(start) {
		this.#context = this.#site.client.contextRegistry.snapshotText();
		try {
			return start();
		} finally {
			this.#context = undefined;
		}
	}

	/** @param {Effect} effect */
	perform(effect) {
		if (this.#closed) return;
		const { durability } = this.#site;
		if (waits.has(effect.op) && durability.holds(effect)) return;
		switch (effect.op) {
			case Op.Persist:
				durability.persist(effect.text === 'strict');
				return;
			case Op.Claim:
				void durability.claim(effect);
				return;
			case Op.OpenStream:
				void this.#open(effect.id);
				return;
			case Op.AbortStream:
				this.#streams.get(effect.id)?.abort();
				this.#streams.delete(effect.id);
				this.#socket?.cancel(effect.id);
				durability.drop(Op.OpenStream, effect.id);
				return;
			case Op.RunTool:
				void this.#runTool(effect);
				return;
			case Op.AbortTool:
				this.#runs.get(effect.id)?.abort();
				this.#runs.delete(effect.id);
				durability.drop(Op.RunTool, effect.id);
				return;
			case Op.SetTimer:
				this.#setTimer(effect);
				return;
			case Op.ClearTimer:
				clearTimeout(this.#timers.get(effect.id));
				this.#timers.delete(effect.id);
				return;
			case Op.Settle:
				this.#settle(effect);
				return;
			default:
				this.#socket?.perform(effect);
		}
	}

	/**
	 * Ends everything that goes on.
	 *
	 * @param {Error} error for the promises that still wait
	 */
	close(error) {
		this.#closed = true;
		for (const abort of [...this.#streams.values(), ...this.#runs.values()]) abort.abort();
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#socket?.close();
		this.#stopListening();
		const waiters = [...this.#waiters.values()];
		this.#streams.clear();
		this.#runs.clear();
		this.#timers.clear();
		this.#waiters.clear();
		for (const { reject } of waiters) reject(error);
	}

	/** What goes on, for tests of leaks. */
	get load() {
		return {
			streams: this.#streams.size, runs: this.#runs.size,
			timers: this.#timers.size + (this.#socket?.load ?? 0) + this.#site.durability.load,
			waiters: this.#waiters.size,
		};
	}

	/** @param {number} stream */
	async #open(stream) {
		const abort = new AbortController();
		this.#streams.set(stream, abort);
		try {
			await this.#exchange(stream, abort.signal);
		} finally {
			if (this.#streams.get(stream) === abort) this.#streams.delete(stream);
		}
	}

	/**
	 * One request and its response.
	 *
	 * @param {number} stream
	 * @param {AbortSignal} signal
	 */
	async #exchange(stream, signal) {
		const { client } = this.#site;
		/** @type {string} */
		let url;
		/** @type {RequestInit} */
		let init;
		try {
			const context = this.#context ?? client.contextRegistry.snapshotText();
			const socket = this.#socketNow();
			/** @type {import('./link.js').WireRequest | undefined} */
			const wire = socket ? socket.request(stream, context) : this.#link.call('encode', [stream], [context]);
			if (wire === undefined) return; // it goes over the socket; what comes back stays in Go
			url = client.urlOf(wire);
			const headers = joinHeaders(wire.accept === '' ? wire.headers : [...wire.headers, ['Accept', wire.accept]], client.headers);
			// Without a promise among them the request goes out in this very tick.
			init = { method: wire.method, headers: headers instanceof Promise ? await headers : headers };
			if (wire.body !== '') init.body = wire.body;
		} catch (error) {
			this.#end(stream, signal, EndReason.RequestFailed, messageOf(error));
			return;
		}
		if (signal.aborted) return;
		try {
			const response = await send(client, url, init, signal);
			if (signal.aborted) return;
			this.#head(stream, response);
			if (response.body) await readBody(response.body, (piece) => this.#feed(stream, signal, piece), signal);
		} catch (error) {
			this.#end(stream, signal, EndReason.NetworkFailed, messageOf(error));
			return;
		}
		this.#end(stream, signal, EndReason.EOF, '');
	}

	/** The session's socket, while the client uses one. */
	#socketNow() {
		const { client } = this.#site;
		const url = client.socketURL(this.#link.core);
		if (url === undefined) return undefined;
		if (this.#socket === undefined) {
			this.#stopListening = this.#link.listen();
			this.#socket = new Socket(client, this.#link, url, client.transport === 'auto', {
				state: this.#site.connection,
				unavailable: (stream) => {
					client.withoutSockets();
					void this.#open(stream);
				},
			});
		}
		return this.#socket;
	}

	/**
	 * @param {number} stream
	 * @param {Response} response
	 */
	#head(stream, response) {
		// A page's fetchFn may answer with less than a Response.
		const header = (/** @type {string} */ name) => response.headers?.get(name) ?? null;
		this.#answer('head', [stream, response.status, retryAfter(header('retry-after'), Date.now())], [
			header('content-type') ?? '', header('x-trace-id') ?? '',
		]);
	}

	/**
	 * @param {number} stream
	 * @param {AbortSignal} signal
	 * @param {Uint8Array} piece
	 */
	#feed(stream, signal, piece) {
		if (!signal.aborted && !this.#closed) this.#link.feed(stream, piece);
	}

	/**
	 * @param {number} stream
	 * @param {AbortSignal} signal
	 * @param {number} reason
	 * @param {string} detail
	 */
	#end(stream, signal, reason, detail) {
		if (!signal.aborted) this.#answer('end', [stream, reason], [detail]);
	}

	/** @param {Effect} effect */
	#setTimer({ id, delay }) {
		this.#timers.set(
			id,
			setTimeout(() => {
				this.#timers.delete(id);
				this.#answer('fire', [id]);
			}, delay),
		);
	}

	/**
	 * Runs a handler of the page. Whatever it does, exactly one answer goes back.
	 *
	 * @param {Effect} effect
	 */
	async #runTool({ id, handler, call, text: name, data }) {
		const abort = new AbortController();
		this.#runs.set(id, abort);
		let failed = 0;
		let output;
		try {
			const tool = this.#site.client.toolRegistry.byNumber(handler);
			if (tool === undefined) throw new Error(`[sveda] Unknown frontend tool: ${name}`);
			const input = deepFreeze(parse(data));
			const context = Object.freeze({
				chatId: this.#site.chatId(), toolCallId: call, signal: abort.signal, rawInput: data, inexact: isInexact(data),
			});
			output = outputText(await tool.handler(input, context));
		} catch (error) {
			failed = 1;
			output = messageOf(error);
		}
		if (this.#runs.get(id) === abort) this.#runs.delete(id);
		if (!abort.signal.aborted) this.#answer('output', [id, failed], [output]);
	}

	/** @param {Effect} effect */
	#settle({ ticket, data, error }) {
		const waiter = this.#waiters.get(ticket);
		if (waiter === undefined) return;
		this.#waiters.delete(ticket);
		if (error !== '') waiter.reject(errorFrom(JSON.parse(error)));
		else waiter.resolve(data === '' ? undefined : JSON.parse(data));
	}

	/**
	 * Gives an answer to the session. When that has been closed meanwhile, or the
	 * core has died, nobody waits for it: close has rejected what there was.
	 *
	 * @param {string} name
	 * @param {readonly number[]} numbers
	 * @param {readonly string[]} [fields]
	 */
	#answer(name, numbers, fields) {
		if (this.#closed) return;
		try {
			this.#link.call(name, numbers, fields);
		} catch (error) {
			if (!this.#closed) report(error);
		}
	}
}

/**
 * What a handler gave, as JSON. `undefined` becomes null; what JSON cannot hold
 * is an error of the handler (case B074).
 *
 * @param {unknown} value
 */
function outputText(value) {
	if (value === undefined) return 'null';
	const text = stringify(value);
	if (text === undefined) throw new TypeError(`the tool returned a ${typeof value}, which JSON cannot hold`);
	return text;
}
