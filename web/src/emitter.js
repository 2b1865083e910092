/**
 * Listeners by event name.
 *
 * @module
 */

/**
 * Tells the page that one of its callbacks threw, without letting that reach
 * the session (fault W19).
 *
 * @param {unknown} error
 */
export function report(error) {
	if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
	else console.error('[sveda] a callback of the page threw:', error);
}

export class Emitter {
	/** @type {Map<string, Set<(payload: any) => void>>} */ #listeners = new Map();

	/**
	 * @param {string} name
	 * @param {(payload: any) => void} listener
	 * @returns {() => void} removes the listener
	 */
	on(name, listener) {
		if (typeof listener !== 'function') throw new TypeError(`listener of ${JSON.stringify(name)}: expected a function`);
		let set = this.#listeners.get(name);
		if (set === undefined) this.#listeners.set(name, (set = new Set()));
		// A function that is added twice is called twice and removed one by one.
		const entry = (/** @type {any} */ payload) => listener(payload);
		set.add(entry);
		return () => void set.delete(entry);
	}

	/** @param {string} name */
	has(name) {
		return (this.#listeners.get(name)?.size ?? 0) > 0;
	}

	/**
	 * Calls the listeners that are there now.
	 *
	 * @param {string} name
	 * @param {unknown} payload
	 */
	emit(name, payload) {
		const set = this.#listeners.get(name);
		if (set === undefined) return;
		for (const listener of [...set]) {
			if (!set.has(listener)) continue; // removed by one before it
			try {
				listener(payload);
			} catch (error) {
				report(error);
			}
		}
	}

	clear() {
		this.#listeners.clear();
	}
}
