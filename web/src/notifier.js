/**
 * Tells subscribers that something changed: text at most once per animation
 * frame, everything else at once.
 *
 * @module
 */

import { report } from './emitter.js';

/** When a frame does not come (a hidden tab, Node), text is told after this, in milliseconds. */
const patience = 50;

export class Notifier {
	/** @type {Set<() => void>} */ #subscribers = new Set();
	/** @type {(() => void) | undefined} cancels what is scheduled */ #cancel;
	#told;

	/** @param {() => void} told called before subscribers are, and at once when there are none */
	constructor(told) {
		this.#told = told;
	}

	/**
	 * @param {() => void} subscriber
	 * @returns {() => void} unsubscribes
	 */
	subscribe(subscriber) {
		const entry = () => subscriber();
		this.#subscribers.add(entry);
		return () => {
			this.#subscribers.delete(entry);
			if (this.#subscribers.size === 0) this.#flush();
		};
	}

	/** @param {boolean} urgent whether this cannot wait for a frame */
	changed(urgent) {
		if (urgent || this.#subscribers.size === 0) this.#notify();
		else this.#cancel ??= onNextFrame(() => this.#notify());
	}

	/** Forgets every subscriber and whatever is scheduled. */
	close() {
		this.#subscribers.clear();
		this.#flush();
	}

	#flush() {
		if (this.#cancel !== undefined) this.#notify();
	}

	#notify() {
		this.#cancel?.();
		this.#cancel = undefined;
		this.#told();
		for (const subscriber of [...this.#subscribers]) {
			if (!this.#subscribers.has(subscriber)) continue;
			try {
				subscriber();
			} catch (error) {
				report(error);
			}
		}
	}
}

/**
 * @param {() => void} work
 * @returns {() => void} cancels it
 */
function onNextFrame(work) {
	const timer = setTimeout(work, patience);
	if (typeof globalThis.requestAnimationFrame !== 'function') return () => clearTimeout(timer);
	const frame = requestAnimationFrame(work);
	return () => {
		clearTimeout(timer);
		cancelAnimationFrame(frame);
	};
}
