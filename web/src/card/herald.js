/**
 * Says what happened to the calls, each thing once: an arrival when it is
 * first seen, an outcome when it comes (U20, U22).
 *
 * @module
 */

import { shortened, toolTokens } from './card-body.js';
import { stateSentence } from './results.js';
import { tokensToText } from './tokens.js';

/**
 * @import { Confirmation } from './types.js'
 * @import { Speaker } from './locale.js'
 */

/** Longest name in an announcement, in characters (U20). */
const nameLength = 96;

/** States that are the quiet end of another one, which was announced. @type {Record<string, string>} */
const follows = { approved: 'resolved', denied: 'resolved' };

export class Herald {
	/** Last known state by call. @type {Map<string, string>} */
	#known = new Map();

	/** Another session: everything is new. */
	forget() {
		this.#known.clear();
	}

	/**
	 * @param {readonly Confirmation[]} confirmations
	 * @param {Speaker} speaker
	 * @returns {string[]} what is to be announced, in order
	 */
	tell(confirmations, speaker) {
		/** @type {string[]} */
		const news = [];
		for (const confirmation of confirmations) {
			const { toolCallId, state, error, uncertain } = confirmation;
			const before = this.#known.get(toolCallId);
			const now = state === 'pending' && error ? (uncertain ? 'uncertain' : 'failed') : state;
			if (before === now) continue;
			this.#known.set(toolCallId, now);
			if (before === undefined) {
				// What had ended before it was first seen is shown, not announced.
				if (state === 'pending') news.push(speaker.say('announceArrival', { tool: nameOf(confirmation, speaker) }));
			} else if (now !== 'pending' && now !== 'deciding' && follows[before] !== now) {
				news.push(stateSentence(confirmation, speaker));
			}
		}
		for (const id of this.#known.keys()) if (!confirmations.some((c) => c.toolCallId === id)) this.#known.delete(id);
		return news;
	}
}

/**
 * The tool's name as plain text.
 *
 * @param {Pick<Confirmation, 'toolName' | 'toolNameTokens'>} confirmation or a grant
 * @param {Speaker} speaker
 */
export function nameOf(confirmation, speaker) {
	return tokensToText(shortened(toolTokens(confirmation), nameLength), speaker);
}
