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
import { checkOptions, endpointsOf, headersOf, openFields, storageName } from './options.js';
import { SvedaToolRegistry } from './registry.js';
import { core } from './runtime.js';
import { SvedaChatSession } from './session.js';
import { IndexedDBStorage } from './storage/indexeddb.js';
import { Tabs } from './tabs/tabs.js';
import { socketURL } from './url.js';

/** @typedef {import('./options.js').ClientOptions} ClientOptions */

/** A client of one server (contract, section 3). */
export class SvedaClient {
	#options;
	#history;
	/** @type {WeakMap<import('./core.js').Core, number>} */ #handles = new WeakMap();
	/** @type {Map<string, SvedaChatSession>} */ #sessions = new Map();
	/** @type {string | undefined} where the WebSocket is, while one is used */ #socketURL;
	/** @type {import('./durability.js').Keeper | undefined} */ #keeper;

	/**
	 * @param {ClientOptions} [options]
	 * @throws {SvedaError} `not-loaded`, `unknown-option`, `invalid-option`, `invalid-endpoint`
	 */
	constructor(options = {}) {
		core();
		checkOptions(options);
		this.#options = options;
		/** @readonly @type {import('./options.js').Endpoints} */
		this.endpoints = endpointsOf(options);
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
		this.#keeper = keeperOf(options.persist);
		this.#history = new History(this);
		this.#handleIn(core()); // refuses a protocol that this build does not have
	}

	/** @internal */
	get headers() {
		return headersOf(this.#options);
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
		const base = this.#options.botProviderEndpoint;
		if (wire.endpoint === 'base' && base !== undefined) return String(base).replace(/\/+$/, '') + wire.path;
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

	/**
	 * What the sessions keep their chats in; undefined without the option `persist`.
	 *
	 * @internal
	 */
	get keeper() {
		return this.#keeper;
	}

	/**
	 * Forgets every stored chat, in all pages: for a logout. The sessions that are
	 * open go on in memory; nothing of them is stored any more.
	 *
	 * @returns {Promise<void>}
	 */
	async clearStorage() {
		const keeper = this.#keeper;
		if (keeper === undefined) return;
		keeper.tabs.tell({ kind: 'cleared' });
		keeper.tabs.clearHere();
		await keeper.storage.clear();
	}

	#chooseSocket() {
		if (!['sse', 'websocket', 'auto'].includes(this.transport)) {
			throw new SvedaError('invalid-option', "SvedaClient: option \"transport\": expected 'sse', 'websocket' or 'auto'");
		}
		if (this.transport === 'sse') return undefined;
		const native = this.protocolMode === 'sveda' && (this.#options.dialect ?? 'sveda') === 'sveda';
		const { socket, stream } = this.endpoints;
		const url = native && stream !== undefined ? socketURL(socket, stream) : undefined;
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
		const { flags, fields } = openFields(this.#options, this.#history.exists);
		[handle] = ask(running, 'SvedaClient', 'open', [this.toolRegistry.handleIn(running), flags], fields);
		this.#handles.set(running, /** @type {number} */ (handle));
		return /** @type {number} */ (handle);
	}
}

/**
 * @param {import('./options.js').ClientOptions['persist']} persist
 * @returns {import('./durability.js').Keeper | undefined}
 */
function keeperOf(persist) {
	if (persist === undefined || persist === null || persist === false) return undefined;
	const name = storageName(typeof persist === 'string' ? persist : true);
	const storage = typeof persist === 'object' ? persist : new IndexedDBStorage(name);
	return { storage, tabs: new Tabs(name) };
}
