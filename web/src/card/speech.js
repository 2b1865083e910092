/**
 * Everything on a card that is said in a language, so that the language can
 * change under a waiting card: nodes stay, only their words are set anew (U44).
 *
 * @module
 */

import { setText } from './dom.js';

/** @import { Params, Speaker, TextKey } from './locale.js' */

/** @typedef {(speaker: Speaker) => string | void} Line a text for its node, or none when it set what it had to itself */

export class Speech {
	/** @type {Map<Node, Line>} */
	#lines = new Map();
	#speaker;

	/** @param {Speaker} speaker */
	constructor(speaker) {
		this.#speaker = speaker;
	}

	get speaker() {
		return this.#speaker;
	}

	/**
	 * What a node says from now on; `null` makes it silent.
	 *
	 * @param {Node} node
	 * @param {TextKey | null} key
	 * @param {Params} [params]
	 */
	text(node, key, params) {
		this.run(node, key === null ? () => '' : (speaker) => speaker.say(key, params));
	}

	/**
	 * The same with a function, which runs now and at each change of language.
	 *
	 * @param {Node} node
	 * @param {Line} line
	 */
	run(node, line) {
		this.#lines.set(node, line);
		this.#apply(node, line);
	}

	/** @param {Speaker} speaker */
	change(speaker) {
		this.#speaker = speaker;
		for (const [node, line] of this.#lines) this.#apply(node, line);
	}

	/**
	 * @param {Node} node
	 * @param {Line} line
	 */
	#apply(node, line) {
		const text = line(this.#speaker);
		if (typeof text === 'string') setText(node, text);
	}
}
