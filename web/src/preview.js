/**
 * The stored messages of a chat, for a page that shows them while the core is
 * still on its way. This module and what it imports are small and need no
 * WebAssembly: `import { storedMessages } from 'svedawasm/preview'`.
 *
 * They are a picture and nothing more: the session reads for itself what is
 * true, and replaces it.
 *
 * @module
 */

import { displayOf, readDisplay } from './display.js';
import { SvedaError } from './errors.js';
import { History } from './history.js';
import { checkOptions, endpointsOf, headersOf, storageName } from './options.js';
import { IndexedDBStorage } from './storage/indexeddb.js';
import { within } from './storage/within.js';

/** @typedef {import('./display.js').DisplayMessage} DisplayMessage */

/** How long a storage may take, in milliseconds; after that nothing is shown. */
const patience = 2000;

/**
 * What to show of a chat before its session is there: the last 50 messages, each
 * with at most 4,096 characters (UTF-16) of text. A client with `persist` shows
 * what the browser's storage has and asks no server; another one asks its
 * server's stored chats.
 *
 * @param {string} chatId
 * @param {import('./options.js').ClientOptions} [options] of the client that the
 *   page will make
 * @returns {Promise<readonly DisplayMessage[] | undefined>} frozen; undefined when
 *   nothing is stored, or nothing that can be read
 * @throws {SvedaError} `unknown-option`, `invalid-option`, `invalid-endpoint`,
 *   `invalid-id`; of a server: `network`, `http-status` (404 gives undefined),
 *   `invalid-answer`. A storage that fails gives undefined
 */
export async function storedMessages(chatId, options = {}) {
	checkOptions(options);
	const endpoints = endpointsOf(options);
	if (options.persist) return fromStorage(String(chatId), options.persist);
	const history = new History({
		endpoints, headers: headersOf(options), credentials: options.credentials ?? 'omit', fetchFn: options.fetchFn,
	});
	return history.exists ? fromServer(String(chatId), history) : undefined;
}

/**
 * @param {string} chatId
 * @param {true | string | import('./storage/port.js').StoragePort} persist
 */
async function fromStorage(chatId, persist) {
	const own = typeof persist === 'object' ? undefined : new IndexedDBStorage(storageName(persist));
	try {
		const storage = own ?? /** @type {import('./storage/port.js').StoragePort} */ (persist);
		const stored = await within(patience, storage.read(chatId));
		return readDisplay(stored?.preview);
	} catch {
		return undefined; // the chat goes on in memory then, and the session says so
	} finally {
		own?.close();
	}
}

/**
 * @param {string} chatId
 * @param {History} history
 */
async function fromServer(chatId, history) {
	/** @type {import('./history.js').StoredChat} */
	let chat;
	try {
		chat = await history.get(chatId);
	} catch (error) {
		if (!(error instanceof SvedaError)) throw unreadable(error);
		if (error.status === 404) return undefined;
		throw error;
	}
	if (!Array.isArray(chat.messages)) throw unreadable();
	const shown = readDisplay(displayOf(chat.messages.filter((message) => typeof message === 'object' && message !== null)));
	if (shown === undefined) throw unreadable();
	return shown;
}

/** @param {unknown} [cause] */
function unreadable(cause) {
	return new SvedaError('invalid-answer', 'the answer of the server is no stored chat', { cause });
}
