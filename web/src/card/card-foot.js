/**
 * The part of a card that stays below: why it cannot be confirmed yet, the
 * options, the step of a denial or a grant, and the two buttons. Deny stands
 * before Confirm.
 *
 * @module
 */

import { button, element, setAttribute, show } from './dom.js';
import { countReason, limitReason, maxReason } from './reason.js';

/**
 * @import { Step } from './types.js'
 * @import { TextKey, Params } from './locale.js'
 * @import { Speech } from './speech.js'
 */

/** @typedef {'deny'|'sendDeny'|'back'|'confirm'|'showAll'|'copy'|'later'|'allowChat'|'allowChatSure'|'grantBack'|'stop'} Action */

/**
 * @typedef {object} FootState
 * @property {Step} step
 * @property {boolean} sending
 * @property {boolean} armed the protection time is over and nothing else is in the way
 * @property {{key: TextKey, params?: Params} | null} status
 * @property {boolean} failed the status tells of a failure
 * @property {boolean} confirmable the call may be confirmed, now or later
 * @property {{rows: number, characters: number} | null} hidden what is left out of the arguments
 * @property {boolean} more "Show all" can still show something
 * @property {TextKey | null} hint
 * @property {number} waiting
 */

export class CardFoot {
	/** @readonly */
	node = element('div', 'foot');
	/** @readonly @type {Record<Action, HTMLButtonElement>} */
	buttons;
	/** @readonly */
	reason = element('textarea', '', {
		id: 'reason', rows: '2', autocomplete: 'off', spellcheck: 'true', 'aria-describedby': 'reason-count',
	});
	/** @readonly */
	scope = element('p', 'scope', { id: 'scope', tabindex: '-1' });
	/** @readonly the row that must be in view and still */
	actions = element('div', 'actions');
	#status = element('p', 'status', { id: 'status' });
	#hidden = element('p', 'hidden-amount', { id: 'hidden-amount' });
	#hiddenLine = element('div', 'line');
	#options = element('div', 'line options');
	#reasonBox = element('div', 'reason');
	#count = element('p', 'count', { id: 'reason-count' });
	#hint = element('p', 'hint', { id: 'hint' });
	#waiting = element('p', 'waiting');
	#offered;
	#speech;

	/**
	 * @param {Speech} speech
	 * @param {object} options
	 * @param {boolean} options.grant offer the grant for this chat
	 * @param {boolean} options.stop
	 * @param {boolean} options.later
	 * @param {(tool: HTMLElement) => void} options.scopeText fills in the tool's name
	 */
	constructor(speech, options) {
		this.#speech = speech;
		this.#offered = options;
		this.buttons = this.#buildButtons();
		const { showAll, copy, later, allowChat, stop, deny, sendDeny, confirm, back, allowChatSure, grantBack } = this.buttons;
		this.#hiddenLine.append(this.#hidden, showAll);
		this.#options.append(copy, ...(options.later ? [later] : []), ...(options.grant ? [allowChat] : []), ...(options.stop ? [stop] : []));
		options.scopeText(this.scope);
		const grantLine = element('div', 'line', {}, grantBack, allowChatSure);
		const label = element('label', '', { for: 'reason' });
		speech.text(label, 'reasonLabel');
		speech.run(this.reason, (speaker) => { this.reason.placeholder = speaker.say('reasonPlaceholder'); });
		this.#reasonBox.append(label, this.reason, this.#count);
		this.actions.append(deny, sendDeny, confirm, back);
		this.node.append(this.#hiddenLine, this.#status, this.#options);
		if (options.grant) this.node.append(this.scope, grantLine);
		this.node.append(this.#reasonBox, this.actions, this.#hint, this.#waiting);
		this.#limit();
	}

	#buildButtons() {
		/** @type {[Action, string, TextKey][]} */
		const kinds = [
			['showAll', 'quiet', 'showAll'], ['copy', 'quiet', 'copy'], ['later', 'quiet', 'later'],
			['allowChat', 'quiet', 'allowChat'], ['stop', 'quiet', 'stop'], ['grantBack', 'quiet', 'back'],
			['allowChatSure', 'quiet', 'allowChatSure'], ['deny', 'deny', 'deny'], ['sendDeny', 'deny', 'sendDeny'],
			['confirm', 'confirm', this.#offered.grant || this.#offered.later ? 'allowOnce' : 'confirm'], ['back', '', 'back'],
		];
		/** @type {Partial<Record<Action, HTMLButtonElement>>} */
		const buttons = {};
		for (const [action, className, key] of kinds) {
			const node = button(className, { 'data-action': action, 'aria-describedby': 'heading' });
			this.#speech.text(node, key);
			buttons[action] = node;
		}
		return /** @type {Record<Action, HTMLButtonElement>} */ (buttons);
	}

	/** Keeps the reason within its limit; a composition is never cut. */
	#limit() {
		const count = () => this.#speech.text(this.#count, 'reasonCount', { n: countReason(this.reason.value), max: maxReason });
		this.reason.addEventListener('input', (event) => {
			if (/** @type {InputEvent} */ (event).isComposing) return;
			const limited = limitReason(this.reason.value);
			if (limited !== this.reason.value) this.reason.value = limited;
			count();
		});
		this.reason.addEventListener('compositionend', count);
		// Enter neither sends nor breaks the line: what is sent is one line.
		this.reason.addEventListener('keydown', (event) => {
			if (event.key === 'Enter' && !event.isComposing && event.keyCode !== 229) event.preventDefault();
		});
		count();
	}

	/** @param {FootState} state */
	update(state) {
		const { buttons } = this;
		const { step, sending } = state;
		this.#speech.text(this.#status, state.status?.key ?? null, state.status?.params);
		this.#status.classList.toggle('failed', state.failed);
		this.#showHidden(state.hidden);
		show(buttons.showAll, state.more);
		show(buttons.allowChat, step !== 'grant' && state.confirmable);
		show(this.scope, step === 'grant');
		show(/** @type {HTMLElement} */ (buttons.allowChatSure.parentElement), step === 'grant');
		show(this.#reasonBox, step === 'reason');
		show(buttons.deny, step !== 'reason');
		show(buttons.confirm, step !== 'reason');
		show(buttons.sendDeny, step === 'reason');
		show(buttons.back, step === 'reason');
		this.#speech.text(this.#hint, state.hint);
		this.#speech.text(this.#waiting, state.waiting > 0 ? 'moreWaiting' : null, { n: state.waiting });
		const approvable = state.armed && !sending;
		for (const [action, node] of Object.entries(buttons)) {
			const approves = action === 'confirm' || action === 'allowChatSure' || action === 'allowChat';
			const free = action === 'copy' || action === 'later';
			// Not the `disabled` attribute: it would drop the focus to the body (U15).
			setAttribute(node, 'aria-disabled', (approves ? approvable : free || !sending) ? null : 'true');
			setAttribute(node, 'aria-busy', sending && !free ? 'true' : null);
		}
		setAttribute(buttons.confirm, 'aria-describedby', state.status ? 'heading status' : 'heading');
		setAttribute(buttons.allowChatSure, 'aria-describedby', 'heading scope');
		setAttribute(this.reason, 'aria-disabled', sending ? 'true' : null);
		this.reason.readOnly = sending;
	}
	/** @param {{rows: number, characters: number} | null} hidden */
	#showHidden(hidden) {
		show(this.#hiddenLine, hidden !== null);
		if (hidden === null) return;
		this.#speech.run(this.#hidden, (speaker) => speaker.say('hidden', {
			rows: speaker.say('hiddenRows', { n: hidden.rows }),
			characters: speaker.say('hiddenCharacters', { n: hidden.characters }),
		}));
	}
}
