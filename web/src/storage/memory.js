/**
 * Chats in memory: for tests, for Node, and for a page that must leave nothing.
 *
 * @module
 */

/**
 * @import { Claim, Stored, StoragePort } from './port.js'
 */

/** @implements {StoragePort} */
export class MemoryStorage {
	/** @type {Map<string, Stored>} */ #chats = new Map();
	/** @type {Map<string, number>} */ #fences = new Map();
	/** @type {Map<string, Claim>} */ #claims = new Map();
	/** What could not be read, with why. @type {{chatId: string, snapshot: Uint8Array, code: string}[]} */
	aside = [];

	/** @type {StoragePort['read']} */
	async read(chatId) {
		return this.#chats.get(chatId);
	}

	/** @type {StoragePort['write']} */
	async write(chatId, stored) {
		if ((this.#fences.get(chatId) ?? 0) > stored.fence) return false;
		this.#chats.set(chatId, { ...stored });
		return true;
	}

	/** @type {StoragePort['nextFence']} */
	async nextFence(chatId) {
		const fence = (this.#fences.get(chatId) ?? 0) + 1;
		this.#fences.set(chatId, fence);
		return fence;
	}

	/** @type {StoragePort['claim']} */
	async claim(chatId, key, claim) {
		const id = JSON.stringify([chatId, key]);
		const earlier = this.#claims.get(id);
		if (earlier !== undefined) return earlier;
		this.#claims.set(id, claim);
		return claim;
	}

	/** @type {StoragePort['setAside']} */
	async setAside(chatId, snapshot, code) {
		this.aside.push({ chatId, snapshot, code });
		this.#chats.delete(chatId); // as IndexedDBStorage does
	}

	/** @type {StoragePort['remove']} */
	async remove(chatId) {
		this.#chats.delete(chatId);
	}

	/** @type {StoragePort['clear']} */
	async clear() {
		this.#chats.clear();
		this.#claims.clear();
		this.#fences.clear();
		this.aside = [];
	}

	close() {}
}
