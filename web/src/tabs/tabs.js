/**
 * Several pages of one origin that show the same chats: who acts, who lives, and
 * hints that something has changed. Web Locks and BroadcastChannel are used
 * where they are, and missed where they are not: the fence in the storage and
 * the claims hold without them.
 *
 * @module
 */

import { createMessageId } from '../message.js';

/**
 * @typedef {object} Hint nothing in it decides anything, and no content is in it
 * @property {'changed' | 'cleared'} kind
 * @property {string} [chatId]
 *
 * @typedef {object} Platform what may be missing
 * @property {LockManager | undefined} [locks]
 * @property {typeof BroadcastChannel | undefined} [Channel]
 *
 * @typedef {object} Hold a lock that is held
 * @property {() => void} release
 * @property {() => boolean} lost whether it was stolen
 */

/** How often is looked for changes where there are no hints, ms. */
const pollEvery = 1000;

export class Tabs {
	/** This page's name, new with each load. */
	page = createMessageId();
	#name;
	#locks;
	/** @type {BroadcastChannel | undefined} */ #channel;
	/** @type {Set<(hint: Hint) => void>} */ #listeners = new Set();
	/** @type {(() => void)[]} */ #releases = [];
	/** @type {ReturnType<typeof setInterval> | undefined} */ #poll;
	#closed = false;

	/**
	 * @param {string} name shared by the pages that belong together
	 * @param {Platform} [platform]
	 */
	constructor(name, platform = { locks: globalThis.navigator?.locks, Channel: globalThis.BroadcastChannel }) {
		this.#name = name;
		this.#locks = platform.locks;
		if (platform.Channel !== undefined) {
			this.#channel = new platform.Channel(name);
			this.#channel.onmessage = ({ data }) => this.#hear(data);
			/** @type {any} */ (this.#channel).unref?.(); // Node would wait for it
		}
		// Held as long as the page lives: others see by it that it does.
		void this.#take(`page ${this.page}`).then((hold) => hold && this.#keep(hold.release));
	}

	/**
	 * Whether a page lives; undefined when that cannot be told.
	 *
	 * @param {string} page
	 * @returns {Promise<boolean | undefined>}
	 */
	async isAlive(page) {
		if (page === this.page) return true;
		if (this.#locks === undefined) return undefined;
		try {
			const { held = [], pending = [] } = await this.#locks.query();
			const name = this.#lockName(`page ${page}`);
			return [...held, ...pending].some((lock) => lock.name === name);
		} catch {
			return undefined;
		}
	}

	/**
	 * Takes the right to act on a chat.
	 *
	 * @param {string} chatId
	 * @param {{wait?: number}} [options] ms; default 0
	 * @returns {Promise<Hold | undefined>} undefined when another page has it
	 */
	act(chatId, { wait = 0 } = {}) {
		return this.#take(`act ${chatId}`, wait);
	}

	/**
	 * Waits until no page acts on a chat any more, because it has ended or died.
	 *
	 * @param {string} chatId
	 * @param {AbortSignal} signal
	 * @returns {Promise<Hold | undefined>} undefined when the signal was given
	 */
	succeed(chatId, signal) {
		return this.#take(`act ${chatId}`, Infinity, signal);
	}

	/**
	 * Claims something for the life of this page, where no storage works.
	 *
	 * @param {string} key
	 * @returns {Promise<boolean>}
	 */
	async claim(key) {
		if (this.#locks === undefined) return false;
		const hold = await this.#take(`claim ${key}`);
		if (hold === undefined) return false;
		this.#keep(hold.release);
		return true;
	}

	/**
	 * Hears what other pages tell. Without a channel it is told to look now and then.
	 *
	 * @param {(hint: Hint) => void} listener
	 * @returns {() => void} ends that
	 */
	onHint(listener) {
		this.#listeners.add(listener);
		if (this.#channel === undefined && this.#poll === undefined && globalThis.document !== undefined) {
			this.#poll = setInterval(() => this.#hear({ kind: 'changed' }), pollEvery);
		}
		return () => {
			this.#listeners.delete(listener);
			if (this.#listeners.size === 0) this.#stopPoll();
		};
	}

	/** @param {Hint} hint */
	tell(hint) {
		try {
			this.#channel?.postMessage(hint);
		} catch {
			// A hint that is lost is found later.
		}
	}

	/** Tells the sessions of this page that everything was cleared. */
	clearHere() {
		this.#hear({ kind: 'cleared' });
	}

	/** Gives everything back. */
	close() {
		this.#closed = true;
		this.#channel?.close();
		this.#stopPoll();
		this.#listeners.clear();
		for (const release of this.#releases.splice(0)) release();
	}

	/** @param {unknown} data of another page of this origin, which may have faults */
	#hear(data) {
		const { kind, chatId } = /** @type {Hint} */ (data ?? {});
		if (kind !== 'changed' && kind !== 'cleared') return;
		for (const listener of [...this.#listeners]) listener({ kind, chatId: chatId === undefined ? undefined : String(chatId) });
	}

	#stopPoll() {
		clearInterval(this.#poll);
		this.#poll = undefined;
	}

	/** @param {() => void} release */
	#keep(release) {
		if (this.#closed) release();
		else this.#releases.push(release);
	}

	/** @param {string} what */
	#lockName(what) {
		return `${this.#name} ${what}`;
	}

	/**
	 * @param {string} what
	 * @param {number} [wait] ms
	 * @param {AbortSignal} [signal]
	 * @returns {Promise<Hold | undefined>}
	 */
	async #take(what, wait = 0, signal) {
		const locks = this.#locks;
		if (locks === undefined) return { release() {}, lost: () => false };
		const abort = new AbortController();
		const give = () => abort.abort();
		signal?.addEventListener('abort', give);
		if (signal?.aborted) give();
		const timer = wait > 0 && wait < Infinity ? setTimeout(give, wait) : undefined;
		try {
			return await new Promise((resolve, reject) => {
				let lost = false;
				locks
					.request(this.#lockName(what), wait === 0 ? { ifAvailable: true } : { signal: abort.signal }, (lock) => {
						if (lock === null) {
							resolve(undefined);
							return undefined;
						}
						return new Promise((release) => resolve({ release: () => release(undefined), lost: () => lost }));
					})
					.catch((error) => {
						lost = true; // after it was held: somebody stole it
						reject(error);
					});
			});
		} catch {
			return undefined;
		} finally {
			clearTimeout(timer);
			signal?.removeEventListener('abort', give);
		}
	}
}
