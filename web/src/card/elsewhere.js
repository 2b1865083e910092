/**
 * Points to a call that waits in another chat. It is asked there, not here
 * (S42).
 *
 * @module
 */

import { button, element, setText, show } from './dom.js';

/**
 * @import { ConfirmationSession } from './types.js'
 * @import { Speaker } from './locale.js'
 */

export class ElsewhereView {
	/** @readonly */
	node = element('p', 'surface line', { hidden: '' });
	#text = element('span');
	#open = button('quiet');
	#chatId = '';

	/** @param {(chatId: string) => void} open */
	constructor(open) {
		this.node.append(this.#text, this.#open);
		this.#open.addEventListener('click', () => open(this.#chatId));
	}

	/**
	 * @param {readonly ConfirmationSession[]} sessions of other chats
	 * @param {Speaker} speaker
	 */
	update(sessions, speaker) {
		const waiting = sessions.filter((session) => session.confirmations.some((c) => c.state === 'pending'));
		show(this.node, waiting.length > 0);
		if (waiting.length === 0) return;
		this.#chatId = waiting[0].chatId;
		setText(this.#text, speaker.say('elsewhere', { n: waiting.length }));
		setText(this.#open, speaker.say('openChat'));
	}
}
