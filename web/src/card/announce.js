/**
 * The live region: present before the first card, polite, one text at a time
 * (U20, U22).
 *
 * @module
 */

import { element } from './dom.js';

/** Longest text, in code points (U20). */
export const longest = 200;

/** Time between two texts, in milliseconds, so that none swallows the one before. */
const pause = 400;

/** @typedef {{setTimeout: (task: () => void, ms: number) => unknown}} Timers */

export class LiveRegion {
	/** @readonly */
	node = element('div', 'live', { role: 'status', 'aria-live': 'polite', 'aria-atomic': 'true' });
	/** @type {string[]} */
	#queue = [];
	#busy = false;
	#timers;

	/** @param {Timers} timers */
	constructor(timers) {
		this.#timers = timers;
	}

	/** @param {string} text */
	say(text) {
		this.#queue.push(shorten(text));
		if (!this.#busy) this.#next();
	}

	#next() {
		const text = this.#queue.shift();
		this.#busy = text !== undefined;
		if (text === undefined) return;
		// A new node, so that the same words twice are announced twice.
		this.node.replaceChildren(element('span', '', {}, text));
		this.#timers.setTimeout(() => this.#next(), pause);
	}
}

/** @param {string} text */
function shorten(text) {
	if (text.length <= longest) return text;
	return `${[...text].slice(0, longest - 1).join('')}…`;
}
