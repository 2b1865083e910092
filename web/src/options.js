/**
 * The options of a client: what they are, and what is refused.
 *
 * @module
 */

import { SvedaError } from './errors.js';
import { entries, isPromise } from './headers.js';
import { checkEndpoint } from './url.js';

/**
 * @import { SvedaContextRegistry } from './context.js'
 * @import { SvedaToolRegistry } from './registry.js'
 */

/**
 * @typedef {object} Endpoints
 * @property {string | URL} [stream] `POST`, a turn
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
 * @property {'sveda' | 'asgard'} [dialect] the protocol; default `sveda`. Asgard's
 *   needs `botProviderEndpoint`; the chat id is the channel's id
 * @property {string | URL} [botProviderEndpoint] of Asgard:
 *   `https://host/ns/{namespace}/bot-provider/{name}`
 * @property {string} [apiKey] of Asgard
 * @property {import('./headers.js').HeaderOption} [customHeaders] the same as `headers`
 * @property {string} [userIdentityHint] of Asgard: for whom the agent acts
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
 * @property {boolean | string | import('./storage/port.js').StoragePort} [persist] keeps
 *   chats over reloads and crashes, and lets one page of several act: true for
 *   IndexedDB, a name for a database of its own (one for each person), or a
 *   storage. What is kept are messages, arguments and decisions in the clear:
 *   call `client.clearStorage()` at logout. Default false
 * @property {boolean} [grants] lets a person allow a tool for the whole chat,
 *   kept by this session; default false
 * @property {number} [maxToolRounds] tool outputs that one turn may submit; default 30
 * @property {number} [toolTimeout] ms that a handler may take; default 300000, -1 for no limit
 * @property {number} [tailTimeout] ms that a stream may stay open after its
 *   message has ended; default 10000, -1 for no limit
 * @property {number} [silenceTimeout] ms that a response may stay without a
 *   byte; default 120000, -1 for no limit
 * @property {number} [decisionAttempts] how often a decision is sent whose fate
 *   stays unknown; default 4. 1 is right for a server that may run a tool twice
 *   when it hears an approval twice
 * @property {number} [decisionTimeout] ms from the first attempt to an answer; default 15000
 * @property {number} [lateApproval] ms after which an approval that could not be
 *   sent needs a new gesture; default 120000
 */

/** @type {Record<keyof ClientOptions, string[]>} */
const known = {
	endpoints: ['object'], protocolMode: ['string'], dialect: ['string'], headers: ['object', 'function'],
	credentials: ['string'], tools: ['object'], context: ['object'], autoSubmitFrontendToolResults: ['boolean'],
	fetchFn: ['function'], grants: ['boolean'], maxToolRounds: ['number'], toolTimeout: ['number'],
	tailTimeout: ['number'], silenceTimeout: ['number'], transport: ['string'], decisionAttempts: ['number'],
	decisionTimeout: ['number'], lateApproval: ['number'], botProviderEndpoint: ['string', 'object'], apiKey: ['string'],
	customHeaders: ['object', 'function'], userIdentityHint: ['string'], persist: ['boolean', 'string', 'object'],
};

/** The numbers of session.Config, in the order in which bridge.OpenClient reads them. */
const numbers = /** @type {const} */ ([
	'maxToolRounds', 'toolTimeout', 'tailTimeout', 'silenceTimeout', 'decisionAttempts', 'decisionTimeout', 'lateApproval',
]);

/** Flags of the entry "open" (bridge.OpenClient). */
const Flag = Object.freeze({ KeepOutputs: 1, Grants: 2, Persist: 4, Histories: 8, Claims: 16, RefreshAuth: 32 });

/** @type {Endpoints} */
const ownServer = { stream: '/sveda/stream', histories: '/sveda/chat-histories' };

/**
 * @param {ClientOptions} options
 * @throws {SvedaError} `unknown-option`, `invalid-option`
 */
export function checkOptions(options) {
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
	if ((options.dialect === 'asgard') !== (options.botProviderEndpoint !== undefined)) {
		throw new SvedaError('invalid-option', 'SvedaClient: dialect "asgard" and botProviderEndpoint belong together');
	}
}

/**
 * Where the client sends what.
 *
 * @param {ClientOptions} options
 * @returns {Endpoints}
 * @throws {SvedaError} `invalid-endpoint`
 */
export function endpointsOf({ endpoints, botProviderEndpoint }) {
	if (botProviderEndpoint !== undefined) {
		checkEndpoint(botProviderEndpoint, 'botProviderEndpoint');
		return endpoints ?? {};
	}
	for (const [name, url] of Object.entries(endpoints ?? {})) {
		if (typeof url !== 'string' && !(url instanceof URL)) continue;
		// A WebSocket may go where the requests beside it may go.
		checkEndpoint(name === 'socket' ? String(url).replace(/^ws(s?):/i, 'http$1:') : url, name);
	}
	return endpoints ?? ownServer;
}

/**
 * The page's headers. Its own header never speaks for another person than
 * `userIdentityHint` (contract asgard, 2).
 *
 * @param {ClientOptions} options
 * @returns {import('./headers.js').HeaderOption}
 */
export function headersOf({ headers, customHeaders, userIdentityHint }) {
	const given = customHeaders ?? headers;
	if (userIdentityHint === undefined || given === undefined) return given;
	const without = (/** @type {import('./headers.js').HeaderSource} */ source) =>
		Object.fromEntries(entries(source).filter(([name]) => name.toLowerCase() !== 'x-asgard-user-identity-hint'));
	if (typeof given !== 'function') return without(given);
	return () => {
		const source = given();
		return isPromise(source) ? Promise.resolve(source).then(without) : without(source);
	};
}

/**
 * The name of the database of a client.
 *
 * @param {true | string} persist
 */
export function storageName(persist) {
	return typeof persist === 'string' && persist !== '' ? `svedawasm ${persist}` : 'svedawasm';
}

/**
 * The options as the entry "open" takes them (bridge.OpenClient).
 *
 * @param {ClientOptions} options
 * @param {boolean} histories whether there is an endpoint of stored chats
 */
export function openFields(options, histories) {
	const { protocolMode, dialect, headers, customHeaders } = options;
	const flags =
		(options.autoSubmitFrontendToolResults === false ? Flag.KeepOutputs : 0) |
		(options.grants ? Flag.Grants : 0) |
		(histories ? Flag.Histories : 0) |
		Flag.Persist | // a crash of the core is survived without a storage too
		(options.persist ? Flag.Claims : 0) |
		(typeof (customHeaders ?? headers) === 'function' ? Flag.RefreshAuth : 0);
	return {
		flags,
		fields: [
			protocolMode === 'vercel' ? 'vercel' : (dialect ?? 'sveda'), options.apiKey ?? '', options.userIdentityHint ?? '',
			...numbers.map((name) => String(options[name] ?? 0)),
		],
	};
}
