/**
 * The stored chats of the server (contract, section 5).
 *
 * @module
 */

import { SvedaError, messageOf } from './errors.js';
import { joinHeaders } from './headers.js';
import { send } from './http.js';
import { stringify } from './json.js';
import { checkEndpoint, pathSegment } from './url.js';

/**
 * @typedef {object} ChatSummary
 * @property {string} id
 * @property {string} chatId the same as id
 * @property {string} title
 * @property {string} [preview]
 * @property {number} [tokensUsed]
 * @property {number} [version]
 * @property {string} [createdAt] RFC 3339
 * @property {string} [updatedAt] RFC 3339
 *
 * @typedef {ChatSummary & {messages: import('./message.js').Message[], conversationHistory?: any[]}} StoredChat
 */

/**
 * @typedef {import('./http.js').Endpoint & {endpoints: import('./options.js').Endpoints,
 *   headers: import('./headers.js').HeaderOption}} Server how the stored chats are reached
 */

export class History {
	#client;

	/** @param {Server} client */
	constructor(client) {
		this.#client = client;
	}

	/** Whether the client has an endpoint of stored chats. */
	get exists() {
		const { histories, history } = this.#client.endpoints;
		return histories !== undefined || typeof history === 'function';
	}

	/** @returns {Promise<ChatSummary[]>} */
	async list() {
		const { histories } = this.#client.endpoints;
		if (histories === undefined) throw missing();
		const response = await this.#send('GET', String(histories), '[sveda] Failed to load chat histories');
		const { histories: chats } = await response.json();
		return Array.isArray(chats) ? chats.map(withChatId) : [];
	}

	/**
	 * @param {string} id
	 * @returns {Promise<StoredChat>}
	 */
	async get(id) {
		const response = await this.#send('GET', this.urlOf(id), `[sveda] Failed to load chat history ${id}`);
		return withChatId((await response.json()).history);
	}

	/**
	 * @param {string} id
	 * @param {string} title
	 */
	async rename(id, title) {
		await this.#send('PATCH', this.urlOf(id), `[sveda] Failed to rename chat ${id}`, stringify({ title }));
	}

	/** @param {string} id */
	async delete(id) {
		await this.#send('DELETE', this.urlOf(id), `[sveda] Failed to delete chat ${id}`);
	}

	/**
	 * The URL of one chat; the id cannot leave its place in the path (S70).
	 *
	 * @param {string} id
	 */
	urlOf(id) {
		const { histories, history } = this.#client.endpoints;
		if (typeof history === 'function') return checkEndpoint(history(id), 'history');
		if (histories === undefined) throw missing();
		return `${String(histories).replace(/\/+$/, '')}/${pathSegment(id)}`;
	}

	/**
	 * @param {string} method
	 * @param {string} url
	 * @param {string} failure
	 * @param {string} [body]
	 */
	async #send(method, url, failure, body) {
		/** @type {[string, string][]} */
		const ours = [['Accept', 'application/json']];
		if (body !== undefined) ours.unshift(['Content-Type', 'application/json']);
		const headers = await joinHeaders(ours, this.#client.headers);
		const init = body === undefined ? { method, headers } : { method, headers, body };
		const response = await send(this.#client, url, init).catch((cause) => {
			throw new SvedaError('network', `${failure}: ${messageOf(cause)}`, { cause });
		});
		if (!response.ok) {
			throw new SvedaError('http-status', `${failure}: ${response.status}`, { details: { status: response.status } });
		}
		return response;
	}
}

function missing() {
	return new SvedaError('unsupported', 'the client has no endpoint "histories"');
}

/**
 * @template {{id?: string, chatId?: string}} T
 * @param {T} chat
 * @returns {T & {id: string, chatId: string}}
 */
function withChatId(chat) {
	return /** @type {any} */ ({ ...chat, chatId: chat.chatId ?? chat.id });
}
