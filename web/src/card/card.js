/**
 * One question while it is open: its view, the time that protects it, and
 * what its buttons do. Every way to an approval goes through `#approve`.
 *
 * @module
 */

import { isHidden, permanent } from './availability.js';
import { lookOf, reasonTexts, statusOf } from './card-look.js';
import { CardView } from './card-view.js';
import { escapeForCopy, writeClipboard } from './copy.js';
import { FailClosedView } from './fail-closed.js';
import { digestOf, sameQuestion } from './queue.js';
import { Readiness } from './readiness.js';
import { sanitizeReason } from './reason.js';

/**
 * @import { Arguments, Confirmation, ConfirmationSession, Step } from './types.js'
 * @import { Speaker, TextKey, Params } from './locale.js'
 * @import { Action } from './card-foot.js'
 * @import { PressTracker } from './gesture.js'
 * @import { Ports } from './ports.js'
 * @import { Unavailable } from './availability.js'
 */

/**
 * What a card needs of the element that shows it.
 *
 * @typedef {object} CardHost
 * @property {Ports} ports
 * @property {PressTracker} presses
 * @property {Speaker} speaker
 * @property {ConfirmationSession | null} session
 * @property {boolean} modal
 * @property {boolean} twoStepDeny
 * @property {boolean} grant
 * @property {boolean} stop
 * @property {boolean} modelReason
 * @property {boolean} restored
 * @property {() => 'ok' | 'framed'} frame
 * @property {(key: TextKey, params?: Params) => void} announce
 * @property {() => Confirmation | undefined} current the state that the session has now
 * @property {() => void} refresh draws everything anew from the session
 * @property {(decision: 'approve'|'deny', options: {reason?: string, remember?: 'chat'}) => void} decide
 * @property {() => Arguments} showAll
 * @property {() => Promise<unknown>} stopRun
 * @property {() => void} hide
 * @property {() => void} guard holds the colors readable
 */

export class Card {
	#host;
	#confirmation;
	/** @type {CardView | FailClosedView} */
	#view;
	#ready;
	/** @type {Step} */
	#step = 'ask';
	/** @type {TextKey | null} */
	#hint = null;
	#sending = false;
	#waiting = 0;
	#allShown = false;
	/** What is on the page now, to draw only what changed. */
	#shown = '';

	/**
	 * @param {CardHost} host
	 * @param {Confirmation} confirmation
	 */
	constructor(host, confirmation) {
		this.#host = host;
		this.#confirmation = confirmation;
		this.#view = this.#draw();
		this.#ready = new Readiness(host, confirmation.toolCallId, () => this.#refresh());
	}

	get node() {
		return this.#view.node;
	}

	get heading() {
		return this.#view.heading;
	}

	get confirmation() {
		return this.#confirmation;
	}

	/** What was asked is answered in the reason step: where Esc leads back from. */
	get step() {
		return this.#step;
	}

	/** Call when `node` is on the page. */
	start() {
		const view = this.#view;
		this.#ready.watch({ node: view.node, heading: view.heading, actions: view instanceof CardView ? view.foot.actions : view.actions });
		this.#host.guard();
		this.#refresh();
		this.measure();
	}

	/** The card has a place on the page now, or another one. */
	measure() {
		this.#full()?.body.measure();
		this.#ready.rebase();
	}

	/** The server is to be asked whether the call still waits (S50). */
	recheck() {
		this.#ready.recheck();
	}

	dispose() {
		this.#ready.stop();
		this.#view.dispose();
	}

	/**
	 * @param {Confirmation} confirmation the same question, maybe in another state
	 * @param {{sending: boolean, waiting: number}} state
	 */
	update(confirmation, { sending, waiting }) {
		const before = this.#confirmation;
		this.#confirmation = confirmation;
		// Back from a decision that was not accepted: the question is asked anew.
		const asksAgain = this.#sending && !sending;
		const grew = boundsOf(before) !== boundsOf(confirmation);
		this.#sending = sending;
		this.#waiting = waiting;
		if (asksAgain) this.#hint = null;
		if (asksAgain || grew) this.#ready.changed();
		else this.#refresh();
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#guarded(() => this.#view.speak(speaker));
		this.#shown = '';
		this.#refresh();
		this.#ready.rebase(); // other words, the same question (U44)
	}

	/** @returns {boolean} true when there was a step to go back from */
	back() {
		if (this.#step === 'ask' || this.#sending) return false;
		const was = this.#step;
		this.#setStep('ask');
		const view = this.#full();
		if (was === 'reason') view?.foot.buttons.deny.focus();
		else this.heading.focus();
		return true;
	}

	/** The host's surroundings changed: framing rules, theme, options. */
	surroundingsChanged() {
		this.#host.guard();
		this.#ready.changed();
	}

	/* Drawing */

	#full() {
		return this.#view instanceof CardView ? this.#view : null;
	}

	/** Draws the card, or what is left when that fails (S18). */
	#draw() {
		const host = this.#host;
		/** @type {CardView | FailClosedView} */
		let view;
		try {
			view = new CardView(this.#confirmation, host.speaker, {
				modal: host.modal, grant: host.grant, stop: host.stop, modelReason: host.modelReason,
				schedule: (task) => host.ports.schedule(() => this.#guarded(task)),
				onDrawn: () => this.#ready.changed(),
			});
		} catch {
			return this.#drawFailed();
		}
		for (const [action, node] of Object.entries(view.foot.buttons)) {
			node.addEventListener('click', (event) => this.#click(/** @type {Action} */ (action), node, event));
		}
		return view;
	}

	#drawFailed() {
		const view = new FailClosedView(this.#confirmation, this.#host.speaker);
		view.deny.addEventListener('click', () => this.#deny(''));
		return view;
	}

	/**
	 * Runs a step of drawing; when it throws, only Deny is left.
	 *
	 * @param {() => void} draw
	 */
	#guarded(draw) {
		if (!this.#full()) {
			draw();
			return;
		}
		try {
			draw();
		} catch {
			const failed = this.#view;
			const next = this.#drawFailed();
			const hadFocus = failed.node.contains(activeIn(failed.node));
			failed.node.replaceWith(next.node);
			failed.dispose();
			this.#view = next;
			this.#ready.stop();
			if (hadFocus) next.deny.focus();
			next.update(this.#sending);
		}
	}

	/** @returns {Unavailable | null} */
	#unavailable() {
		return this.#ready.reason(this.#full()?.body ?? null);
	}

	/* Showing what changed */

	#refresh() {
		const view = this.#view;
		if (view instanceof FailClosedView) {
			view.update(this.#sending);
			return;
		}
		if (!this.#ready) return; // still under construction
		this.#guarded(() => this.#show(view));
	}

	/** @param {CardView} view */
	#show(view) {
		const reason = this.#unavailable();
		const armed = !this.#sending && reason === null && this.#ready.calm;
		const { currentIndex, totalCount = 0, error, uncertain } = this.#confirmation;
		const failed = !this.#sending && error !== undefined;
		/** @type {Parameters<CardView['update']>[0]} */
		const state = {
			look: lookOf({ reason, armed, failed, sending: this.#sending, step: this.#step }),
			counter: totalCount > 1 && currentIndex ? [currentIndex, totalCount] : null,
			step: this.#step,
			sending: this.#sending,
			armed,
			failed,
			status: statusOf({ reason, failed, sending: this.#sending }, this.#confirmation),
			decided: this.#sending || uncertain === true,
			confirmable: reason === null || !permanent.has(reason),
			hidden: this.#hiddenAmount(),
			more: !this.#allShown,
			hint: this.#hint,
			waiting: this.#waiting,
		};
		// Asked ten times a second, and mostly the same.
		const shown = JSON.stringify(state);
		if (shown === this.#shown) return;
		this.#shown = shown;
		view.update(state);
	}

	/** What is not on the page, exactly (U28). */
	#hiddenAmount() {
		const args = this.#full()?.body.shown;
		return args && isHidden(args) ? args.hidden : null;
	}

	/** @param {Step} step */
	#setStep(step) {
		this.#step = step;
		this.#hint = null;
		this.#ready.changed();
	}

	/* What the buttons do */

	/**
	 * @param {Action} action
	 * @param {HTMLButtonElement} node
	 * @param {MouseEvent} event
	 */
	#click(action, node, event) {
		const { verdict, startedAt } = this.#host.presses.judge(event, node);
		if (this.#sending && action !== 'copy' && action !== 'later') return;
		const view = this.#full();
		if (!view) return;
		// A second click whose first was elsewhere, a key that is held: not meant.
		const meant = verdict === 'ok' || verdict === 'untrusted';
		switch (action) {
			case 'confirm':
			case 'allowChat':
			case 'allowChatSure':
				this.#approve(action, verdict === 'ok', startedAt, view);
				return;
			case 'deny':
				if (!meant) this.#ignored();
				else if (this.#host.twoStepDeny) this.#openReason(view);
				else this.#deny('');
				return;
			case 'sendDeny':
				if (meant) this.#deny(sanitizeReason(view.foot.reason.value));
				else this.#ignored();
				return;
			case 'back':
			case 'grantBack':
				this.back();
				return;
			case 'showAll':
				this.#showAll(view);
				return;
			case 'copy':
				this.#copy();
				return;
			case 'later':
				this.#host.hide();
				return;
			case 'stop':
				if (meant) void this.#stop();
		}
	}

	/**
	 * The only way to an approval.
	 *
	 * @param {'confirm' | 'allowChat' | 'allowChatSure'} action
	 * @param {boolean} genuine the press began on this button, once
	 * @param {number} startedAt when it began
	 * @param {CardView} view
	 */
	#approve(action, genuine, startedAt, view) {
		this.#ready.lookNow();
		if (!genuine) return this.#ignored();
		const reason = this.#unavailable();
		if (reason !== null) return this.#host.announce(reasonTexts[reason]);
		if (!this.#ready.accepts(startedAt)) {
			const hint = this.#ready.unseen ? 'unseen' : 'early';
			this.#ready.early();
			this.#hint = hint;
			this.#host.announce(hint);
			this.#refresh();
			return;
		}
		if (!this.#stillAsked(view)) {
			this.#ready.changed();
			this.#host.refresh();
			return;
		}
		if (action === 'allowChat') {
			this.#setStep('grant');
			view.foot.scope.focus();
			this.#host.announce('announceScope');
			return;
		}
		this.#hint = null;
		this.#host.decide('approve', action === 'allowChatSure' ? { remember: 'chat' } : {});
	}

	/**
	 * The session still asks what this card shows (S34): the same call, waiting,
	 * with the same bytes.
	 *
	 * @param {CardView} view
	 */
	#stillAsked(view) {
		const now = this.#host.current();
		return now !== undefined && now.state === 'pending' && sameQuestion(now, this.#confirmation)
			&& digestOf(now) === view.body.shown.digest;
	}

	#ignored() {
		this.#hint = 'press';
		this.#host.announce('press');
		this.#refresh();
	}

	/** Where the question outlives the run, the press must show all the same. */
	async #stop() {
		/** @type {TextKey} */
		let outcome = 'stopped';
		try {
			await this.#host.stopRun();
		} catch {
			outcome = 'stopFailed';
		}
		const now = this.#host.current();
		if (now?.state !== 'pending' || now.uncertain || this.#sending) return; // the card says more
		this.#hint = outcome;
		this.#host.announce(outcome);
		this.#refresh();
	}

	/** @param {string} reason */
	#deny(reason) {
		if (this.#sending) return;
		this.#hint = null;
		this.#host.decide('deny', reason ? { reason } : {});
	}

	/** @param {CardView} view */
	#openReason(view) {
		this.#setStep('reason');
		view.foot.reason.focus();
	}

	/** @param {CardView} view */
	#showAll(view) {
		const hadFocus = activeIn(view.node) === view.foot.buttons.showAll;
		this.#guarded(() => {
			const all = this.#host.showAll();
			// Other bytes than those on the card are another question.
			if (all.digest !== digestOf(this.#confirmation)) throw new Error('the arguments changed');
			view.body.showAll(all);
			this.#allShown = true;
		});
		this.#ready.changed();
		if (this.#full()) {
			if (hadFocus) focusBody(view);
			this.#host.announce('announceShown');
		}
	}

	async #copy() {
		const written = await writeClipboard(escapeForCopy(this.#confirmation.arguments.raw));
		this.#host.announce(written ? 'copied' : 'copyFailed');
	}
}

/**
 * What bounds a call's arguments, to see whether it changed.
 *
 * @param {Confirmation} confirmation
 */
function boundsOf(confirmation) {
	try {
		const { hidden, blocked } = confirmation.arguments;
		return `${hidden.rows} ${hidden.characters} ${blocked}`;
	} catch {
		return null;
	}
}

/** @param {Node} node */
function activeIn(node) {
	const root = node.getRootNode();
	return root instanceof ShadowRoot ? root.activeElement : null;
}

/** @param {CardView} view */
function focusBody(view) {
	const { node } = view.body;
	if (node.tabIndex < 0) node.tabIndex = -1;
	node.focus();
}
