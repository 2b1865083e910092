/**
 * Chats in IndexedDB. Each method is one transaction and nothing waits inside of
 * it. A database that was closed or deleted from outside is opened again by the
 * next method; a method that fails rejects, and its caller goes on in memory.
 *
 * @module
 */

/**
 * @import { StoragePort } from './port.js'
 *
 * @typedef {(request: IDBRequest, then: (result: any) => void) => void} Get
 */

const schema = 1;

/** How long opening may take, ms: another tab may hold an old version open. */
const openTimeout = 2000;

/** How long a database that could not be opened is not tried again, ms. */
const openPause = 10_000;

/** @implements {StoragePort} */
export class IndexedDBStorage {
	#name;
	/** @type {Promise<IDBDatabase> | undefined} */ #opening;
	#failedAt = -Infinity;

	/** @param {string} name of the database */
	constructor(name) {
		this.#name = name;
	}

	/** @type {StoragePort['read']} */
	read(chatId) {
		return this.#run(['chats'], 'readonly', false, (stores, get, done) => {
			get(stores.chats.get(chatId), done);
		});
	}

	/** @type {StoragePort['write']} */
	write(chatId, stored, { strict }) {
		return this.#run(['chats', 'fences'], 'readwrite', strict, (stores, get, done) => {
			get(stores.fences.get(chatId), (newest = 0) => {
				if (newest <= stored.fence) stores.chats.put(stored, chatId);
				done(newest <= stored.fence);
			});
		});
	}

	/** @type {StoragePort['nextFence']} */
	nextFence(chatId) {
		return this.#run(['fences'], 'readwrite', false, (stores, get, done) => {
			get(stores.fences.get(chatId), (last = 0) => {
				stores.fences.put(last + 1, chatId);
				done(last + 1);
			});
		});
	}

	/** @type {StoragePort['claim']} */
	claim(chatId, key, claim) {
		return this.#run(['claims'], 'readwrite', true, (stores, get, done) => {
			get(stores.claims.get([chatId, key]), (earlier) => {
				if (earlier === undefined) stores.claims.put(claim, [chatId, key]);
				done(earlier ?? claim);
			});
		});
	}

	/** @type {StoragePort['setAside']} */
	setAside(chatId, snapshot, code) {
		return this.#run(['aside', 'chats'], 'readwrite', true, (stores, _, done) => {
			stores.aside.add({ chatId, snapshot, code, at: Date.now() });
			stores.chats.delete(chatId);
			done(undefined);
		});
	}

	/** @type {StoragePort['remove']} */
	remove(chatId) {
		return this.#run(['chats'], 'readwrite', true, (stores, _, done) => {
			stores.chats.delete(chatId);
			done(undefined);
		});
	}

	/** @type {StoragePort['clear']} */
	clear() {
		return this.#run(['chats', 'fences', 'claims', 'aside'], 'readwrite', true, (stores, _, done) => {
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
	 * @param {(stores: Record<string, IDBObjectStore>, get: Get, done: (value: T) => void) => void} work
	 *   `get` calls back with the result of a request
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
			/** @type {unknown} */
			let failure;
			transaction.oncomplete = () => resolve(value);
			transaction.onabort = () => reject(failure ?? transaction.error ?? new Error('the transaction was aborted'));
			// What throws in here would be an error of the page otherwise.
			const attempt = (/** @type {() => void} */ step) => {
				try {
					step();
				} catch (error) {
					failure = error;
					reject(error);
					try {
						transaction.abort();
					} catch {
						// it is over already
					}
				}
			};
			/** @type {Get} */
			const get = (request, then) => (request.onsuccess = () => attempt(() => then(request.result)));
			attempt(() => {
				const stores = Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)]));
				work(stores, get, (given) => (value = given));
			});
		});
	}

	#open() {
		if (this.#opening === undefined) {
			if (performance.now() - this.#failedAt < openPause) return Promise.reject(new Error('the database could not be opened'));
			this.#opening = open(this.#name, () => (this.#opening = undefined)).catch((error) => {
				this.#opening = undefined;
				this.#failedAt = performance.now();
				throw error;
			});
		}
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
