/**
 * What a page tells the model about itself.
 *
 * @module
 */

import { SvedaError } from './errors.js';
import { stringify } from './json.js';
import { ask, askText } from './ask.js';
import { core } from './runtime.js';

/**
 * @typedef {object} ContextEntry
 * @property {string} description the key in the request's `context`
 * @property {unknown | (() => unknown)} value JSON, or a function that is called
 *   for each request
 */

/**
 * Readable values of the page. A snapshot of them goes with every request
 * (contract, section 3, rule 25): of two entries with one description the later
 * one counts.
 */
export class SvedaContextRegistry {
	/** @type {Map<number, {description: string, value: unknown}>} in the order of registration */
	#entries = new Map();
	#lastEntry = 0;
	/** @type {WeakMap<import('./core.js').Core, {handle: number, entries: Map<number, number>}>} */
	#places = new WeakMap();

	constructor() {
		core();
	}

	/**
	 * @param {ContextEntry | string} entry an entry, or its description
	 * @param {unknown} [value] beside a description
	 * @returns {() => void} removes the entry
	 */
	register(entry, value) {
		const { description, value: given } =
			typeof entry === 'string' ? { description: entry, value } : { description: entry?.description, value: entry?.value };
		if (typeof description !== 'string' || description === '') {
			throw new SvedaError('invalid-context', 'register: expected a description');
		}
		const number = ++this.#lastEntry;
		const kept = { description, value: given };
		this.#entries.set(number, kept);
		const running = core();
		this.#add(running, number, kept);
		return () => this.#remove(number);
	}

	/** Removes every entry. */
	clear() {
		for (const number of [...this.#entries.keys()]) this.#remove(number);
	}

	/**
	 * The context of a request that would be sent now.
	 *
	 * @returns {Record<string, any>}
	 * @throws {SvedaError} `context-failed`: a function threw, or a value is no
	 *   JSON; `cause` is what was thrown
	 */
	snapshot() {
		return JSON.parse(this.snapshotText());
	}

	/**
	 * @internal
	 * @returns {string} JSON
	 */
	snapshotText() {
		const running = core();
		const { handle, entries } = this.#placeIn(running);
		const order = ask(running, 'SvedaContextRegistry', 'order', [handle]);
		const kept = new Map([...entries].map(([number, id]) => [id, this.#entries.get(number)]));
		/** @type {(string | undefined)[]} */
		const pairs = [];
		for (const id of order) {
			const { value, description = '' } = kept.get(id) ?? {};
			pairs.push(String(id), textOf(value, description));
		}
		return askText(running, 'SvedaContextRegistry', 'compose', [handle], pairs);
	}

	/** @param {number} number */
	#remove(number) {
		if (!this.#entries.delete(number)) return;
		const running = core();
		const place = this.#placeIn(running);
		const id = place.entries.get(number);
		if (id === undefined) return;
		place.entries.delete(number);
		ask(running, 'SvedaContextRegistry', 'remove', [place.handle, id]);
	}

	/**
	 * @param {import('./core.js').Core} running
	 * @param {number} number
	 * @param {{description: string}} entry
	 */
	#add(running, number, entry) {
		const place = this.#placeIn(running);
		if (place.entries.has(number)) return;
		const [id] = ask(running, 'SvedaContextRegistry', 'add', [place.handle], [entry.description]);
		place.entries.set(number, id);
	}

	/**
	 * Where the entries are in an instance; after a restart they are added again.
	 *
	 * @param {import('./core.js').Core} running
	 */
	#placeIn(running) {
		let place = this.#places.get(running);
		if (place !== undefined) return place;
		const [handle] = ask(running, 'SvedaContextRegistry', 'open', []);
		place = { handle, entries: new Map() };
		this.#places.set(running, place);
		for (const [number, entry] of this.#entries) this.#add(running, number, entry);
		return place;
	}
}

/**
 * The JSON text of a value, or of what its function returns.
 *
 * @param {unknown} value
 * @param {string} description
 * @throws {SvedaError} `context-failed`
 */
function textOf(value, description) {
	try {
		return stringify(typeof value === 'function' ? value() : value);
	} catch (cause) {
		throw new SvedaError('context-failed', `reading the context ${JSON.stringify(description)}: the page's value threw`, { cause });
	}
}
