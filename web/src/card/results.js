/**
 * What became of the other calls: one line of text each, without buttons
 * (U22, U59, U60). They stay until the session drops them, and a line that has
 * the focus until it loses it.
 *
 * @module
 */

import { headingName, shortened, toolTokens } from './card-body.js';
import { element, setAttribute, show } from './dom.js';
import { Speech } from './speech.js';
import { isolated, tokensToText } from './tokens.js';

/**
 * @import { Confirmation } from './types.js'
 * @import { Speaker, TextKey } from './locale.js'
 */

/** Signs beside the words, so that color says nothing alone. @type {Partial<Record<TextKey, string>>} */
const marks = {
	stateApproved: '✓', stateElsewhereApproved: '✓', stateDenied: '✕', stateElsewhereDenied: '✕',
	stateExpired: '–', stateElsewhere: '–', stateUnknown: '?', stateFailed: '!', stateUncertain: '?', stateApproving: '…', stateDenying: '…',
};

/**
 * The words for a state.
 *
 * @param {Confirmation} confirmation
 * @returns {TextKey}
 */
export function stateText({ state, decision, uncertain }) {
	switch (state) {
		case 'deciding': return decision === 'deny' ? 'stateDenying' : 'stateApproving';
		case 'approved': return 'stateApproved';
		case 'denied': return 'stateDenied';
		case 'resolved': return decision === 'deny' ? 'stateDenied' : 'stateApproved';
		case 'answered-elsewhere':
			return decision === 'approve' ? 'stateElsewhereApproved' : decision === 'deny' ? 'stateElsewhereDenied' : 'stateElsewhere';
		case 'expired': return 'stateExpired';
		case 'pending': return uncertain ? 'stateUncertain' : 'stateFailed';
		default: return 'stateUnknown'; // also a state that we do not know (S46)
	}
}

/**
 * The same as plain text, for the live region.
 *
 * @param {Confirmation} confirmation
 * @param {Speaker} speaker
 */
export function stateSentence(confirmation, speaker) {
	return speaker.say(stateText(confirmation), {
		tool: tokensToText(shortened(toolTokens(confirmation), headingName), speaker),
	});
}

export class Results {
	/** @readonly */
	node = element('ul', 'results surface', { role: 'list', hidden: '' });
	/** @type {Map<string, {item: HTMLElement, key: TextKey, speech: Speech}>} */
	#lines = new Map();
	#speech;

	/** @param {Speaker} speaker */
	constructor(speaker) {
		this.#speech = new Speech(speaker);
		this.#speech.run(this.node, (s) => setAttribute(this.node, 'aria-label', s.say('stateResults')));
		this.node.addEventListener('focusout', () => queueMicrotask(() => this.#drop()));
	}

	/** @param {readonly Confirmation[]} confirmations */
	update(confirmations) {
		const keep = new Set(confirmations.map((c) => c.toolCallId));
		for (const [id, line] of this.#lines) {
			line.item.toggleAttribute('data-gone', !keep.has(id));
		}
		for (const confirmation of confirmations) this.#line(confirmation);
		this.#drop();
	}

	/**
	 * @param {string} toolCallId
	 * @returns {boolean} false when there is no such line
	 */
	focus(toolCallId) {
		const item = this.#lines.get(toolCallId)?.item;
		item?.focus();
		return item !== undefined;
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#speech.change(speaker);
		for (const { speech } of this.#lines.values()) speech.change(speaker);
	}

	/** @param {Confirmation} confirmation */
	#line(confirmation) {
		const key = stateText(confirmation);
		const known = this.#lines.get(confirmation.toolCallId);
		if (known?.key === key) return;
		const speech = new Speech(this.#speech.speaker);
		const before = document.createTextNode('');
		const after = document.createTextNode('');
		speech.run(before, (speaker) => speaker.around(key, 'tool')[0]);
		speech.run(after, (speaker) => speaker.around(key, 'tool')[1]);
		const name = isolated('tool', shortened(toolTokens(confirmation), headingName), speech);
		const mark = element('span', 'mark', { 'aria-hidden': 'true' }, marks[key] ?? '');
		const text = element('span', 'result-text', {}, before, name, after);
		if (known) {
			known.item.replaceChildren(mark, text);
			known.key = key;
			known.speech = speech;
			known.item.dataset.state = confirmation.state;
			return;
		}
		const item = element('li', 'result', { tabindex: '-1', 'data-state': confirmation.state }, mark, text);
		this.#lines.set(confirmation.toolCallId, { item, key, speech });
		this.node.append(item);
	}

	#drop() {
		// Not `:focus`, which does not match while the window is in the background.
		const active = /** @type {ShadowRoot} */ (this.node.getRootNode()).activeElement;
		for (const [id, { item }] of this.#lines) {
			if (!item.hasAttribute('data-gone') || item === active) continue;
			item.remove();
			this.#lines.delete(id);
		}
		show(this.node, this.#lines.size > 0);
	}
}
