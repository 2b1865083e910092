/**
 * The client: how to reach a server, and its sessions.
 *
 * @module
 */

import { ask } from './ask.js';
import { SvedaContextRegistry } from './context.js';
import { SvedaError } from './errors.js';
import { History } from './history.js';
import { createMessageId } from './message.js';
import { SvedaToolRegistry } from './registry.js';
import { core } from './runtime.js';
import { SvedaChatSession } from './session.js';
import { checkEndpoint, socketURL } from './url.js';

/**
 * @typedef {object} Endpoints
 * @property {string | URL} stream `POST`, a turn
 * @property {string | URL} [message] `POST`, a turn answered at once
 * @property {string | URL} [histories] `GET`, the stored chats; also the base of one chat
 * @property {(id: string) => string | URL} [history] of one stored chat
 * @property {string | URL} [documentsExtract] `POST`, files
 * @property {string | URL} [socket] a WebSocket for turns (docs/websocket.md);
 *   default: `stream` with `/ws` for its last segment, when that is `stream`
 *
 * @typedef {object} ClientOptions
 * @property {Endpoints} [endpoints] default: `/sveda/stream`,
 *   `/sveda/chat-histories` and the like of the page's own origin
 * @property {'sveda' | 'vercel'} [protocolMode] default `sveda`
 * @property {'sveda' | 'asgard'} [dialect] default `sveda`
 * @property {import('./headers.js').HeaderOption} [headers] an object, or a
 *   function that is called for each request
 * @property {RequestCredentials} [credentials] default `omit` (S64)
 * @property {SvedaToolRegistry | Iterable<import('./registry.js').Tool>} [tools]
 * @property {SvedaContextRegistry} [context]
 * @property {boolean} [autoSubmitFrontendToolResults] default true; false keeps
 *   outputs until `session.submitToolOutputs()`
 * @property {import('./http.js').FetchFunction} [fetchFn] default the platform's fetch
 * @property {'sse' | 'websocket' | 'auto'} [transport] how turns travel; default
 *   `sse`. The others need `load({ transport })`; `auto` falls back to `sse`
 *   where no WebSocket can be had. Over a WebSocket only the token of `headers` travels.
 * @property {boolean} [grants] lets a person allow a tool for the whole chat,
 *   kept by this session; default false
 * @property {number} [maxToolRounds] tool outputs that one turn may submit; default 30
 * @property {number} [toolTimeout] ms that a handler may take; default 300000, -1 for no limit
 * @property {number} [tailTimeout] ms that a stream may stay open after its
 *   message has ended; default 10000, -1 for no limit
 * @property {number} [silenceTimeout] ms that a response may stay without a
 *   byte; default 120000, -1 for no limit
 */

/** @type {Record<keyof ClientOptions, string[]>} */
const known = {
	endpoints: ['object'], protocolMode: ['string'], dialect: ['string'], headers: ['object', 'function'],
	credentials: ['string'], tools: ['object'], context: ['object'], autoSubmitFrontendToolResults: ['boolean'],
	fetchFn: ['function'], grants: ['boolean'], maxToolRounds: ['number'], toolTimeout: ['number'],
	tailTimeout: ['number'], silenceTimeout: ['number'], transport: ['string'],
};

/** Flags of the entry "open" (bridge.OpenClient). */
const Flag = Object.freeze({ KeepOutputs: 1, Grants: 2, Persist: 4, Histories: 8 });

/** @type {Required<Pick<Endpoints, 'stream' | 'histories'>>} */
const ownServer = { stream: '/sveda/stream', histories: '/sveda/chat-histories' };

/** A client of one server (contract, section 3). */
export class SvedaClient {
	#options;
	#history;
	/** @type {WeakMap<import('./core.js').Core, number>} */ #handles = new WeakMap();
	/** @type {Map<string, SvedaChatSession>} */ #sessions = new Map();
	/** @type {string | undefined} where the WebSocket is, while one is used */ #socketURL;

	/**
	 * @param {ClientOptions} [options]
	 * @throws {SvedaError} `not-loaded`, `unknown-option`, `invalid-option`, `invalid-endpoint`
	 */
	constructor(options = {}) {
		core();
		checkOptions(options);
		this.#options = options;
		/** @readonly @type {Endpoints} */
		this.endpoints = checkEndpoints(options.endpoints ?? ownServer);
		/** @readonly @type {'sveda' | 'vercel'} */
		this.protocolMode = options.protocolMode ?? 'sveda';
		/** @readonly @type {RequestCredentials} */
		this.credentials = options.credentials ?? 'omit';
		/** @readonly @type {SvedaToolRegistry} */
		this.toolRegistry = options.tools instanceof SvedaToolRegistry ? options.tools : new SvedaToolRegistry(options.tools);
		/** @readonly @type {SvedaContextRegistry} */
		this.contextRegistry = options.context ?? new SvedaContextRegistry();
		/** @readonly @type {'sse' | 'websocket' | 'auto'} */
		this.transport = options.transport ?? 'sse';
		this.#socketURL = this.#chooseSocket();
		this.#history = new History(this);
		this.#handleIn(core()); // refuses a protocol that this build does not have
	}

	/** @internal */
	get headers() {
		return this.#options.headers;
	}

	/** @internal */
	get fetchFn() {
		return this.#options.fetchFn;
	}

	/**
	 * The session of a chat: the same one for the same id.
	 *
	 * @param {string} chatId
	 * @returns {SvedaChatSession}
	 */
	session(chatId) {
		return this.#sessions.get(chatId) ?? this.createSession(chatId);
	}

	/**
	 * A new session, which `session(chatId)` gives from now on.
	 *
	 * @param {string} [chatId] default a new UUID
	 * @returns {SvedaChatSession}
	 */
	createSession(chatId = createMessageId()) {
		const session = new SvedaChatSession(chatId, this);
		this.#sessions.set(chatId, session);
		return session;
	}

	/**
	 * Closes the session of a chat and forgets it.
	 *
	 * @param {string} chatId
	 */
	destroySession(chatId) {
		this.#sessions.get(chatId)?.close();
		this.#sessions.delete(chatId);
	}

	/**
	 * The stored chats, newest first (contract, section 5).
	 *
	 * @returns {Promise<import('./history.js').ChatSummary[]>}
	 */
	listHistories() {
		return this.#history.list();
	}

	/**
	 * A stored chat; give its `messages` to `session.setMessages`.
	 *
	 * @param {string} chatId
	 * @returns {Promise<import('./history.js').StoredChat>}
	 */
	getHistory(chatId) {
		return this.#history.get(chatId);
	}

	/**
	 * @param {string} chatId
	 * @param {string} title
	 * @returns {Promise<void>}
	 */
	renameHistory(chatId, title) {
		return this.#history.rename(chatId, title);
	}

	/**
	 * @param {string} chatId
	 * @returns {Promise<void>}
	 */
	deleteHistory(chatId) {
		return this.#history.delete(chatId);
	}

	/**
	 * Where a request of a session goes.
	 *
	 * @internal
	 * @param {import('./link.js').WireRequest} wire
	 * @returns {string}
	 */
	urlOf(wire) {
		if (wire.endpoint === 'history') return this.#history.urlOf(decodeURIComponent(wire.path));
		const url = /** @type {Record<string, any>} */ (this.endpoints)[wire.endpoint];
		if (url === undefined) throw new SvedaError('unsupported', `the client has no endpoint ${JSON.stringify(wire.endpoint)}`);
		return String(url);
	}

	/**
	 * Where turns of a session go over a WebSocket; undefined for event streams.
	 *
	 * @internal
	 * @param {import('./core.js').Core} running
	 * @returns {string | undefined}
	 */
	socketURL(running) {
		return running.hasSockets ? this.#socketURL : undefined;
	}

	/**
	 * No WebSocket can be had: event streams from now on.
	 *
	 * @internal
	 */
	withoutSockets() {
		this.#socketURL = undefined;
	}

	#chooseSocket() {
		if (!['sse', 'websocket', 'auto'].includes(this.transport)) {
			throw new SvedaError('invalid-option', "SvedaClient: option \"transport\": expected 'sse', 'websocket' or 'auto'");
		}
		if (this.transport === 'sse') return undefined;
		const native = this.protocolMode === 'sveda' && (this.#options.dialect ?? 'sveda') === 'sveda';
		const url = native ? socketURL(this.endpoints.socket, this.endpoints.stream) : undefined;
		if (this.transport === 'auto') return url;
		if (!native) throw new SvedaError('unsupported', 'a WebSocket carries the protocol "sveda" only');
		if (url === undefined) {
			throw new SvedaError('invalid-option', 'SvedaClient: transport "websocket" needs endpoints.socket, an absolute URL');
		}
		if (!core().hasSockets) {
			throw new SvedaError('unsupported', "this build has no WebSocket: await load({ transport: 'websocket' })");
		}
		return url;
	}

	/**
	 * Opens a session in an instance.
	 *
	 * @internal
	 * @param {import('./core.js').Core} running
	 * @param {string} chatId
	 * @returns {number} its handle
	 */
	openSession(running, chatId) {
		const seed = crypto.getRandomValues(new Uint8Array(16));
		return ask(running, 'SvedaChatSession', 'open', [this.#handleIn(running)], [chatId, seed])[0];
	}

	/** @param {import('./core.js').Core} running */
	#handleIn(running) {
		let handle = this.#handles.get(running);
		if (handle !== undefined) return handle;
		const o = this.#options;
		const flags =
			(o.autoSubmitFrontendToolResults === false ? Flag.KeepOutputs : 0) |
			(o.grants ? Flag.Grants : 0) |
			(this.#history.exists ? Flag.Histories : 0);
		const dialect = this.protocolMode === 'vercel' ? 'vercel' : (o.dialect ?? 'sveda');
		[handle] = ask(
			running,
			'SvedaClient',
			'open',
			[
				this.toolRegistry.handleIn(running), flags, o.maxToolRounds ?? 0, o.toolTimeout ?? 0, o.tailTimeout ?? 0,
				o.silenceTimeout ?? 0,
			],
			[dialect],
		);
		this.#handles.set(running, /** @type {number} */ (handle));
		return /** @type {number} */ (handle);
	}
}

/** @param {ClientOptions} options */
function checkOptions(options) {
	for (const [name, value] of Object.entries(options)) {
		const types = /** @type {Record<string, string[] | undefined>} */ (known)[name];
		if (types === undefined || !Object.hasOwn(known, name)) {
			throw new SvedaError('unknown-option', `SvedaClient: unknown option ${JSON.stringify(name)}`);
		}
		if (value === undefined || value === null) continue;
		if (!types.includes(typeof value) || (typeof value === 'number' && !Number.isSafeInteger(value))) {
			throw new SvedaError('invalid-option', `SvedaClient: option ${JSON.stringify(name)}: expected ${types.join(' or ')}`);
		}
	}
}

/**
 * @param {Endpoints} endpoints
 * @returns {Endpoints}
 */
function checkEndpoints(endpoints) {
	for (const [name, url] of Object.entries(endpoints)) {
		if (typeof url !== 'string' && !(url instanceof URL)) continue;
		// A WebSocket may go where the requests beside it may go.
		checkEndpoint(name === 'socket' ? String(url).replace(/^ws(s?):/i, 'http$1:') : url, name);
	}
	return endpoints;
}
