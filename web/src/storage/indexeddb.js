/**
 * Chats in IndexedDB. Each method is one transaction and nothing waits inside of
 * it. A database that was closed or deleted from outside is opened again by the
 * next method; a method that fails rejects, and its caller goes on in memory.
 *
 * @module
 */

/**
 * @import { StoragePort } from './port.js'
 */

const schema = 1;

/** How long opening may take: another tab may hold an old version open. */
const openTimeout = 2000;

/** @implements {StoragePort} */
export class IndexedDBStorage {
	#name;
	/** @type {Promise<IDBDatabase> | undefined} */ #opening;

	/** @param {string} name of the database */
	constructor(name) {
		this.#name = name;
	}

	/** @type {StoragePort['read']} */
	read(chatId) {
		return this.#run(['chats'], 'readonly', false, (stores, done) => {
			stores.chats.get(chatId).onsuccess = (event) => done(result(event));
		});
	}

	/** @type {StoragePort['write']} */
	write(chatId, stored, { strict }) {
		return this.#run(['chats'], 'readwrite', strict, (stores, done) => {
			stores.chats.get(chatId).onsuccess = (event) => {
				const newer = (result(event)?.fence ?? 0) > stored.fence;
				if (!newer) stores.chats.put(stored, chatId);
				done(!newer);
			};
		});
	}

	/** @type {StoragePort['nextFence']} */
	nextFence(chatId) {
		return this.#run(['fences'], 'readwrite', false, (stores, done) => {
			stores.fences.get(chatId).onsuccess = (event) => {
				const fence = (result(event) ?? 0) + 1;
				stores.fences.put(fence, chatId);
				done(fence);
			};
		});
	}

	/** @type {StoragePort['claim']} */
	claim(chatId, key, claim) {
		return this.#run(['claims'], 'readwrite', true, (stores, done) => {
			stores.claims.get([chatId, key]).onsuccess = (event) => {
				const earlier = result(event);
				if (earlier === undefined) stores.claims.put(claim, [chatId, key]);
				done(earlier ?? claim);
			};
		});
	}

	/** @type {StoragePort['setAside']} */
	setAside(chatId, snapshot, code) {
		return this.#run(['aside', 'chats'], 'readwrite', true, (stores, done) => {
			stores.aside.add({ chatId, snapshot, code, at: Date.now() });
			stores.chats.delete(chatId);
			done(undefined);
		});
	}

	/** @type {StoragePort['remove']} */
	remove(chatId) {
		return this.#run(['chats'], 'readwrite', true, (stores, done) => {
			stores.chats.delete(chatId);
			done(undefined);
		});
	}

	/** @type {StoragePort['clear']} */
	clear() {
		return this.#run(['chats', 'fences', 'claims', 'aside'], 'readwrite', true, (stores, done) => {
			for (const store of Object.values(stores)) store.clear();
			done(undefined);
		});
	}

	close() {
		const opening = this.#opening;
		this.#opening = undefined;
		opening?.then((db) => db.close(), () => {});
	}

	/**
	 * Runs one transaction. The promise settles when it is over, not when its
	 * requests are: only then it is durable.
	 *
	 * @template T
	 * @param {string[]} names of the stores
	 * @param {IDBTransactionMode} mode
	 * @param {boolean} strict
	 * @param {(stores: Record<string, IDBObjectStore>, done: (value: T) => void) => void} work
	 * @returns {Promise<T>}
	 */
	async #run(names, mode, strict, work) {
		const db = await this.#open();
		return new Promise((resolve, reject) => {
			/** @type {IDBTransaction} */
			let transaction;
			try {
				transaction = db.transaction(names, mode, { durability: strict ? 'strict' : 'relaxed' });
			} catch (error) {
				this.close(); // it was closed under us
				reject(error);
				return;
			}
			/** @type {T} */
			let value;
			transaction.oncomplete = () => resolve(value);
			transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'));
			work(Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)])), (given) => (value = given));
		});
	}

	#open() {
		this.#opening ??= open(this.#name, () => (this.#opening = undefined)).catch((error) => {
			this.#opening = undefined;
			throw error;
		});
		return this.#opening;
	}
}

/**
 * @param {string} name
 * @param {() => void} lost the database cannot be used any more
 * @returns {Promise<IDBDatabase>}
 */
function open(name, lost) {
	return new Promise((resolve, reject) => {
		const request = indexedDB.open(name, schema); // throws where there is none
		const timer = setTimeout(() => reject(new Error('the database cannot be opened')), openTimeout);
		request.onupgradeneeded = () => {
			for (const store of ['chats', 'fences', 'claims']) request.result.createObjectStore(store);
			request.result.createObjectStore('aside', { autoIncrement: true });
		};
		request.onerror = () => {
			clearTimeout(timer);
			reject(request.error);
		};
		request.onsuccess = () => {
			clearTimeout(timer);
			const db = request.result;
			db.onclose = lost;
			db.onversionchange = () => {
				// Somebody deletes or upgrades it, and must not wait for us.
				db.close();
				lost();
			};
			resolve(db);
		};
	});
}

/** @param {Event} event */
const result = (event) => /** @type {IDBRequest} */ (event.target).result;
