/**
 * One question while it is open: its view, the time that protects it, and
 * what its buttons do. Every way to an approval goes through `#approve`.
 *
 * @module
 */

import { isHidden, permanent, unavailable } from './availability.js';
import { CardView } from './card-view.js';
import { escapeForCopy, writeClipboard } from './copy.js';
import { FailClosedView } from './fail-closed.js';
import { watchCover } from './frame.js';
import { Freshness } from './freshness.js';
import { isLegible } from './legibility.js';
import { Protection } from './protection.js';
import { sanitizeReason } from './reason.js';
import { Stillness } from './stillness.js';

/**
 * @import { Arguments, Confirmation, ConfirmationSession, Step } from './types.js'
 * @import { Speaker, TextKey, Params } from './locale.js'
 * @import { Action } from './card-foot.js'
 * @import { Look } from './card-view.js'
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
 * @property {(toolCallId: string) => Confirmation | undefined} current the state that the session has now
 * @property {() => void} refresh draws everything anew from the session
 * @property {(decision: 'approve'|'deny', options: {reason?: string, remember?: 'chat'}) => void} decide
 * @property {() => Arguments} showAll
 * @property {() => void} stopRun
 * @property {() => void} hide
 * @property {() => void} guard holds the colors readable
 */

/** @type {Record<Unavailable, TextKey>} */
const reasonTexts = {
	duplicateKey: 'duplicateKey', tooLarge: 'tooLarge', tooDeep: 'tooDeep', tooMany: 'tooMany', malformed: 'malformed',
	framed: 'framed', covered: 'covered', unreadable: 'unreadable', hidden: 'hiddenFirst', drawing: 'drawing',
	checking: 'checking', unverified: 'unverified',
};

/** Looks between two checks of the page's effects and colors. */
const looksPerCheck = 3;

export class Card {
	#host;
	#confirmation;
	/** @type {CardView | FailClosedView} */
	#view;
	#protection = new Protection();
	#stillness;
	#freshness;
	/** @type {Step} */
	#step = 'ask';
	/** @type {TextKey | null} */
	#hint = null;
	#sending = false;
	#waiting = 0;
	#covered = false;
	#legible = true;
	#looks = 0;
	#wasArmed = false;
	#allShown = false;
	/** @type {unknown} */
	#timer;
	#endCover = () => {};

	/**
	 * @param {CardHost} host
	 * @param {Confirmation} confirmation
	 */
	constructor(host, confirmation) {
		this.#host = host;
		this.#confirmation = confirmation;
		this.#view = this.#draw();
		this.#freshness = new Freshness(host.session, confirmation.toolCallId, host.ports, {
			restored: host.restored, onChange: () => this.#changed(),
		});
		this.#stillness = this.#watch();
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
		this.#stillness.start();
		if (this.#host.frame() === 'ok' && window.parent !== window) {
			this.#endCover = watchCover(this.node, (covered) => {
				if (covered === this.#covered) return;
				this.#covered = covered;
				this.#changed();
			}) ?? this.#endCover;
		}
		this.#host.guard();
		this.#refresh();
		this.measure();
	}

	/** The card has a place on the page now, or another one. */
	measure() {
		this.#full()?.body.measure();
		this.#stillness.rebase();
	}

	dispose() {
		this.#stillness.stop();
		this.#endCover();
		this.#host.ports.clearTimeout(this.#timer);
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
		const grew = before.arguments.hidden.rows !== confirmation.arguments.hidden.rows
			|| before.arguments.blocked !== confirmation.arguments.blocked;
		this.#sending = sending;
		this.#waiting = waiting;
		if (asksAgain) this.#hint = null;
		if (asksAgain || grew) this.#changed();
		else this.#refresh();
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#guarded(() => this.#view.speak(speaker));
		this.#stillness.rebase(); // other words, the same question (U44)
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
		this.#changed();
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
				onDrawn: () => this.#changed(),
			});
		} catch {
			return this.#drawFailed();
		}
		for (const [action, node] of Object.entries(view.foot.buttons)) {
			node.addEventListener('click', (event) => this.#click(/** @type {Action} */ (action), node, event));
		}
		view.node.addEventListener('pointerdown', () => this.#freshness.touch());
		view.node.addEventListener('keydown', () => this.#freshness.touch());
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
			this.#stillness.stop();
			if (hadFocus) next.deny.focus();
			next.update(this.#sending);
		}
	}

	#watch() {
		const view = this.#view;
		const target = view instanceof CardView ? view.foot.actions : view.actions;
		return new Stillness(target, view.heading, this.#host.ports, {
			moved: () => this.#restart(),
			view: (visible) => this.#inView(visible),
			look: () => this.#look(),
		});
	}

	/* Protection */

	/** Something that the person must see first has changed. */
	#changed() {
		this.#restart();
		this.#stillness?.rebase();
	}

	#restart() {
		this.#protection.restart(this.#host.ports.now());
		this.#refresh();
	}

	/** @param {boolean} visible */
	#inView(visible) {
		if (visible) this.#protection.resume(this.#host.ports.now());
		else this.#protection.suspend();
		this.#refresh();
	}

	#look() {
		this.#freshness.look();
		if (this.#looks++ % looksPerCheck === 0) this.#checkSurroundings();
		if (this.#armed() !== this.#wasArmed) this.#refresh();
	}

	#checkSurroundings() {
		this.#host.guard();
		const legible = isLegible(this.heading);
		if (legible === this.#legible) return;
		this.#legible = legible;
		if (!legible) console.warn('sveda-confirmation: effects of the page make a request unreadable; it cannot be confirmed');
		this.#changed();
	}

	/** @returns {Unavailable | null} */
	#unavailable() {
		const view = this.#full();
		return unavailable(view ? view.body.shown : this.#confirmation.arguments, {
			frame: this.#host.frame() === 'framed' ? 'framed' : this.#covered ? 'covered' : 'ok',
			readable: this.#legible,
			drawn: view?.body.drawn ?? false,
			fresh: this.#freshness?.state ?? 'ok',
		});
	}

	#armed() {
		return !this.#sending && this.#unavailable() === null && this.#protection.accepts(this.#host.ports.now());
	}

	/* Showing what changed */

	#refresh() {
		const view = this.#view;
		if (view instanceof FailClosedView) {
			view.update(this.#sending);
			return;
		}
		if (!this.#stillness) return; // still under construction
		this.#guarded(() => this.#show(view));
		this.#schedule();
	}

	/** @param {CardView} view */
	#show(view) {
		const reason = this.#unavailable();
		const armed = this.#armed();
		this.#wasArmed = armed;
		const { currentIndex, totalCount = 0, error } = this.#confirmation;
		const failed = !this.#sending && error !== undefined;
		view.update({
			look: this.#lookOf(reason, armed, failed),
			counter: totalCount > 1 && currentIndex ? [currentIndex, totalCount] : null,
			step: this.#step,
			sending: this.#sending,
			armed,
			failed,
			status: this.#status(reason, failed),
			confirmable: reason === null || !permanent.has(reason),
			hidden: this.#hiddenAmount(),
			more: !this.#allShown,
			hint: this.#hint,
			waiting: this.#waiting,
		});
	}

	/**
	 * @param {Unavailable | null} reason
	 * @param {boolean} armed
	 * @param {boolean} failed
	 * @returns {Look}
	 */
	#lookOf(reason, armed, failed) {
		if (this.#sending) return 'sending';
		if (this.#step !== 'ask') return this.#step;
		if (reason) return 'unavailable';
		if (failed) return 'failed';
		return armed ? 'pending' : 'protected';
	}

	/**
	 * @param {Unavailable | null} reason
	 * @param {boolean} failed
	 * @returns {{key: TextKey, params?: Params} | null}
	 */
	#status(reason, failed) {
		if (this.#sending) return { key: 'sending' };
		if (failed && reason === null) return failureText(this.#confirmation.error?.code);
		if (reason) return { key: reasonTexts[reason] };
		return null;
	}

	/** What is not on the page, exactly (U28). */
	#hiddenAmount() {
		const args = this.#full()?.body.shown ?? this.#confirmation.arguments;
		return isHidden(args) ? args.hidden : null;
	}

	/** Shows the moment at which Confirm begins to act. */
	#schedule() {
		const { ports } = this.#host;
		ports.clearTimeout(this.#timer);
		const wait = this.#protection.armedAt - ports.now();
		if (wait > 0 && wait !== Infinity) this.#timer = ports.setTimeout(() => this.#refresh(), wait + 1);
	}

	/** @param {Step} step */
	#setStep(step) {
		this.#step = step;
		this.#hint = null;
		this.#changed();
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
				if (meant) this.#host.stopRun();
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
		if (this.#stillness.check()) this.#restart();
		this.#checkSurroundings();
		if (!genuine) return this.#ignored();
		const reason = this.#unavailable();
		if (reason !== null) return this.#host.announce(reasonTexts[reason]);
		if (!this.#protection.accepts(startedAt)) {
			this.#protection.early(this.#host.ports.now());
			this.#hint = 'early';
			this.#host.announce('early');
			this.#refresh();
			return;
		}
		if (!this.#stillAsked(view)) {
			this.#changed();
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
		const now = this.#host.current(this.#confirmation.toolCallId);
		return now !== undefined && now.state === 'pending' && now.toolName === this.#confirmation.toolName
			&& now.arguments.digest === this.#confirmation.arguments.digest
			&& now.arguments.digest === view.body.shown.digest;
	}

	#ignored() {
		this.#hint = 'press';
		this.#host.announce('press');
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
			if (all.digest !== this.#confirmation.arguments.digest) throw new Error('the arguments changed');
			view.body.showAll(all);
			this.#allShown = true;
		});
		this.#changed();
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

/**
 * @param {string | undefined} code of an error; only what can be a code is shown
 * @returns {{key: TextKey, params?: Params}}
 */
function failureText(code) {
	if (code && /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(code)) return { key: 'failedWith', params: { code } };
	return { key: 'failed' };
}
