/**
 * What is left when a card cannot be drawn: the tool's name, a sentence, and
 * Deny (S18). As little as possible can go wrong here.
 *
 * @module
 */

import { button, element, setAttribute } from './dom.js';

/**
 * @import { Confirmation } from './types.js'
 * @import { Speaker } from './locale.js'
 */

/** Everything that is not a plain name character is left out rather than drawn. */
const notPlain = /[^A-Za-z0-9_.:/-]+/g;

export class FailClosedView {
	/** @readonly */
	heading = element('h2', 'heading', { id: 'heading', tabindex: '-1' });
	/** @readonly */
	deny = button('deny', { 'aria-describedby': 'heading' });
	/** @readonly */
	actions = element('div', 'actions', {}, this.deny);
	/** @readonly */
	node = element('section', 'card', { role: 'group', 'aria-labelledby': 'heading', 'data-look': 'unavailable' });
	#status = element('p', 'status', { id: 'status' });
	#confirmation;

	/**
	 * @param {Confirmation} confirmation
	 * @param {Speaker} speaker
	 */
	constructor(confirmation, speaker) {
		this.#confirmation = confirmation;
		this.node.append(
			element('div', 'head', {}, this.heading),
			element('div', 'foot', {}, this.#status, this.actions),
		);
		this.speak(speaker);
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		const name = String(this.#confirmation.toolName).replace(notPlain, '?').slice(0, 96);
		this.heading.textContent = speaker.say('heading', { tool: name });
		this.#status.textContent = speaker.say('renderFailed');
		this.deny.textContent = speaker.say('deny');
	}

	/** @param {boolean} sending */
	update(sending) {
		setAttribute(this.deny, 'aria-disabled', sending ? 'true' : null);
		setAttribute(this.deny, 'aria-busy', sending ? 'true' : null);
	}

	dispose() {
		this.node.remove();
	}
}
