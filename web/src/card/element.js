/**
 * `<sveda-confirmation>`: asks about the calls of one session that wait, one
 * at a time, and shows what became of the others.
 *
 * @module
 */

import { Card } from './card.js';
import { Decisions } from './decisions.js';
import { deepActiveElement } from './dom.js';
import { ElsewhereView } from './elsewhere.js';
import { frameState } from './frame.js';
import { GrantsView } from './grants.js';
import { PressTracker } from './gesture.js';
import { Herald, nameOf } from './herald.js';
import { Speaker } from './locale.js';
import { browserPorts } from './ports.js';
import { advance, sameQuestion } from './queue.js';
import { Results } from './results.js';
import { languageOf, observed, readSettings } from './settings.js';
import { Shell } from './shell.js';
import { onTextsChange } from './texts/index.js';

/**
 * @import { BrandTheme } from './brand.js'
 * @import { CardHost } from './card.js'
 * @import { Confirmation, ConfirmationSession, Grant } from './types.js'
 * @import { Params, TextKey } from './locale.js'
 * @import { Ports } from './ports.js'
 * @import { Settings } from './settings.js'
 */

/** Elements that are on a page now, for `focusPendingConfirmation`. @type {Set<SvedaConfirmation>} */
const connected = new Set();

/** Where there is no page, as on a server that renders one, the module can be imported all the same. */
const Base = globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (class {});

/**
 * Attributes: `variant` (`inline` or `modal`), `lang`, `theme` (`light`, `dark`,
 * `auto`; without it the page's `color-scheme` counts), `two-step-deny`,
 * `allow-remember`, `allow-remember-destructive`, `allow-stop`,
 * `show-model-reason`, `allowed-ancestors`.
 *
 * Events, all composed and without arguments or reasons (S62):
 * `sveda-decision` `{chatId, toolCallId, decision, remember}`,
 * `sveda-decision-failed` `{chatId, toolCallId, code}`, `sveda-stop`
 * `{chatId, toolCallId}`, `sveda-open-chat` `{chatId}`.
 */
export class SvedaConfirmation extends Base {
	static observedAttributes = observed;

	/** Where time comes from. @type {Ports} */
	static ports = browserPorts;

	#shell;
	#elsewhere = new ElsewhereView((chatId) => this.#emit('sveda-open-chat', { chatId }));
	#herald = new Herald();
	#decisions = new Decisions((type, detail) => this.#emit(type, detail));
	#presses;
	#speaker;
	/** @type {Settings} */
	#settings;
	#results;
	#grants;

	/** @type {ConfirmationSession | null} */
	#session = null;
	/** @type {Confirmation | null} */
	#static = null;
	/** @type {ConfirmationSession[]} */
	#others = [];
	/** @type {HTMLElement | null} */
	#composer = null;
	/** @type {(() => void)[]} */
	#subscriptions = [];
	#abort = new AbortController();

	/** @type {Card | null} */
	#card = null;
	/** Id of a call whose modal the person has put away. @type {string | null} */
	#hidden = null;
	/** The session is new to this element: what waits, waited before (S50). */
	#restoring = false;

	constructor() {
		super();
		const { ports } = /** @type {typeof SvedaConfirmation} */ (this.constructor);
		this.#shell = new Shell(this, ports, { back: () => this.#card?.back() ?? false, hide: () => this.hide() });
		this.#speaker = new Speaker(null);
		this.#settings = readSettings(this);
		this.#presses = new PressTracker((target) => this.#shell.isButton(target), ports.timeOf);
		this.#results = new Results(this.#speaker);
		this.#grants = new GrantsView(this.#speaker, (grant) => this.#revoke(grant));
		this.#shell.fill(this.#results.node, this.#elsewhere.node, this.#grants.node);
		this.#shell.reopen.addEventListener('click', () => this.show());
		this.#shell.listen('keydown', (event) => this.#key(event));
	}

	/* Properties */

	/** The session whose calls are asked about. */
	get session() {
		return this.#session;
	}

	set session(session) {
		if (session === this.#session) return;
		this.#leave();
		this.#session = session ?? null;
		this.#static = null;
		this.#herald.forget();
		this.#decisions.forget();
		this.#hidden = null;
		this.#restoring = true;
		if (this.isConnected) this.#enter();
	}

	/** One call to show without a session, as in a gallery. Decisions are only events then. */
	get confirmation() {
		return this.#static;
	}

	set confirmation(confirmation) {
		if (this.#session) this.session = null;
		this.#static = confirmation ?? null;
		if (this.isConnected) this.#sync();
	}

	/** Sessions of other chats: what waits there is pointed to, never asked here (S42). */
	get otherSessions() {
		return this.#others;
	}

	set otherSessions(sessions) {
		this.#leave();
		this.#others = [...(sessions ?? [])];
		if (this.isConnected) this.#enter();
	}

	/** Where the focus goes after a decision when it came from there. */
	get composer() {
		return this.#composer;
	}

	set composer(composer) {
		this.#composer = composer ?? null;
	}

	/**
	 * Asgard's brand theme; variables on any ancestor win over it.
	 *
	 * @param {BrandTheme | null} theme
	 */
	set brand(theme) {
		this.#shell.brand(theme);
		this.#card?.surroundingsChanged();
	}

	/* Commands */

	/**
	 * Moves the focus to the heading of the call that waits, from anywhere; with
	 * nothing waiting it announces that (U24).
	 *
	 * @returns {boolean}
	 */
	focusPending() {
		if (!this.#card) {
			this.#say('announceNothing');
			return false;
		}
		if (this.#settings.modal) this.show();
		else this.#card.heading.focus();
		return true;
	}

	/** A call waits for a decision here. */
	get waiting() {
		return this.#card !== null;
	}

	/** Opens the modal again that `hide` or Esc has put away. */
	show() {
		this.#hidden = null;
		this.#sync();
	}

	/** Puts the modal away; the call stays pending and a button brings it back. */
	hide() {
		if (!this.#card || !this.#settings.modal) return;
		this.#hidden = this.#card.confirmation.toolCallId;
		this.#sync();
		this.#shell.reopen.focus();
	}

	/* Life on the page */

	connectedCallback() {
		// Properties that were set before the element was defined.
		for (const name of /** @type {const} */ (['session', 'confirmation', 'otherSessions', 'composer', 'brand'])) {
			if (!Object.hasOwn(this, name)) continue;
			const { value } = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(this, name));
			Reflect.deleteProperty(this, name);
			this[name] = value;
		}
		connected.add(this);
		this.#abort = new AbortController();
		const { signal } = this.#abort;
		this.#presses.listen(window, signal);
		window.addEventListener('resize', () => this.#shell.measure(), { signal });
		for (const query of ['(forced-colors: active)', '(prefers-color-scheme: dark)']) {
			matchMedia(query).addEventListener('change', () => this.#card?.surroundingsChanged(), { signal });
		}
		window.addEventListener('online', () => this.#card?.recheck(), { signal });
		const root = new MutationObserver(() => this.#speak());
		root.observe(document.documentElement, { attributeFilter: ['lang'] });
		const end = onTextsChange(() => this.#speak(true));
		signal.addEventListener('abort', () => { root.disconnect(); end(); });
		this.#settings = readSettings(this);
		this.#restoring = true;
		this.#speak();
		this.#shell.measure();
		this.#leave(); // a property from before may have entered already
		this.#enter();
	}

	disconnectedCallback() {
		connected.delete(this);
		this.#leave();
		this.#abort.abort();
		this.#presses.forget();
	}

	/**
	 * @param {string} name
	 * @param {string | null} before
	 * @param {string | null} now
	 */
	attributeChangedCallback(name, before, now) {
		if (before === now || !this.isConnected) return;
		if (name === 'lang') return this.#speak();
		this.#settings = readSettings(this);
		if (name === 'theme' || name === 'allowed-ancestors') this.#card?.surroundingsChanged();
		else this.#redraw();
	}

	#enter() {
		for (const session of [this.#session, ...this.#others]) {
			if (session) this.#subscriptions.push(session.subscribe(() => this.#sync()));
		}
		this.#sync();
	}

	#leave() {
		for (const end of this.#subscriptions.splice(0)) end();
		this.#dropCard();
		this.#shell.modal.close();
	}

	/* Language */

	/** @param {boolean} [anew] also when the language is the same */
	#speak(anew = false) {
		const speaker = new Speaker(languageOf(this));
		if (!anew && this.#shell.lang === speaker.lang) return;
		this.#speaker = speaker;
		this.#shell.speak(speaker);
		this.#results.speak(speaker);
		this.#grants.speak(speaker);
		this.#card?.speak(speaker);
		this.#pointElsewhere();
		this.#count();
	}

	/* What the session says */

	/** @returns {readonly Confirmation[]} */
	#confirmations() {
		if (!this.#session) return this.#static ? [this.#static] : [];
		return this.#decisions.withFailures(this.#session.confirmations);
	}

	#sync() {
		if (!this.isConnected) return;
		const list = this.#confirmations();
		const liveId = this.#card?.confirmation.toolCallId ?? this.#hidden;
		const { live, waiting, lines } = advance(liveId, list);
		try {
			for (const news of this.#herald.tell(list, this.#speaker)) this.#shell.announce(news);
		} catch {
			// What cannot be announced is still shown.
		}
		const had = this.#card?.node.contains(this.#shell.active) ? this.#card.confirmation.toolCallId : null;
		this.#results.update(lines);
		if (live) this.#ask(live, waiting);
		else this.#dropCard();
		this.#modality(had);
		if (had !== null && this.#card?.confirmation.toolCallId !== had) this.#moveFocus(had);
		this.#grants.update(this.#session?.grants ?? []);
		this.#pointElsewhere();
		this.#count();
		this.#restoring = false;
	}

	/**
	 * @param {Confirmation} live
	 * @param {number} waiting
	 */
	#ask(live, waiting) {
		const sending = live.state === 'deciding' || this.#decisions.isSending(live.toolCallId);
		if (this.#card && !sameQuestion(this.#card.confirmation, live)) this.#dropCard();
		if (!this.#card) {
			this.#card = new Card(this.#cardHost(live), live);
			(this.#settings.modal ? this.#shell.modal.root : this.#shell.outlet).append(this.#card.node);
			this.#shell.measure();
			this.#card.start();
		}
		this.#card.update(live, { sending, waiting });
	}

	#dropCard() {
		this.#card?.dispose();
		this.#card = null;
	}

	/** The same question with other settings. */
	#redraw() {
		this.#dropCard();
		this.#shell.modal.close();
		this.#sync();
	}

	/** Opens or closes the modal as the live call wants it. @param {string | null} had the call that had the focus */
	#modality(had) {
		const card = this.#card;
		const open = this.#settings.modal && card !== null && card.confirmation.toolCallId !== this.#hidden;
		if (open && card) {
			if (this.#shell.modal.open && (had === null || had === card.confirmation.toolCallId)) return;
			this.#shell.modal.show(card.heading);
			card.measure();
			return;
		}
		if (!this.#shell.modal.open) return;
		const opener = this.#shell.modal.close();
		if (card) return; // put away: `hide` moves the focus
		if (had === null) return;
		if (opener instanceof HTMLElement && opener.isConnected && isEditor(opener)) {
			// The dialog has given the focus back by itself, but after a reason was
			// written Chromium sends keys nowhere until the field gets it anew.
			opener.blur();
			opener.focus();
		}
		else this.#toResult(had);
	}

	/**
	 * After a decision from inside the card: to its result, never to the body (U14).
	 *
	 * @param {string} toolCallId
	 */
	#moveFocus(toolCallId) {
		const active = deepActiveElement();
		if (active === null || active === document.body || active === this) this.#toResult(toolCallId);
	}

	/** @param {string} toolCallId */
	#toResult(toolCallId) {
		if (this.#results.focus(toolCallId)) return;
		if (this.#composer?.isConnected) this.#composer.focus();
		else if (this.#card) this.#card.heading.focus();
	}

	/* Around the card */

	#count() {
		const pending = this.#confirmations().filter((c) => c.state === 'pending').length;
		const hidden = this.#settings.modal && this.#card !== null && pending > 0 && !this.#shell.modal.open;
		this.#shell.offerReopen(hidden ? this.#speaker.say('decisionsWaiting', { n: pending }) : null);
	}

	#pointElsewhere() {
		this.#elsewhere.update(this.#others.filter((session) => session !== this.#session), this.#speaker);
	}

	/** @param {Grant} grant */
	async #revoke(grant) {
		const tool = nameOf(grant, this.#speaker);
		try {
			await this.#session?.revokeGrant?.(grant);
			this.#say('revoked', { tool });
		} catch {
			this.#say('revokeFailed', { tool });
		}
		this.#sync();
	}

	/* What a card may ask of us */

	/**
	 * @param {Confirmation} confirmation
	 * @returns {CardHost}
	 */
	#cardHost(confirmation) {
		const self = this;
		const session = this.#session;
		const id = confirmation.toolCallId;
		return {
			ports: /** @type {typeof SvedaConfirmation} */ (this.constructor).ports,
			presses: this.#presses,
			get speaker() { return self.#speaker; },
			session,
			get modal() { return self.#settings.modal; },
			get twoStepDeny() { return self.#settings.twoStepDeny; },
			grant: this.#settings.grant(confirmation),
			stop: this.#settings.stop(confirmation) && (session === null || typeof session.stop === 'function'),
			get modelReason() { return self.#settings.modelReason; },
			restored: this.#restoring,
			frame: () => frameState(window, this.#settings.allowed),
			announce: (key, params) => this.#say(key, params),
			current: () => this.#session === session ? this.#confirmations().find((c) => c.toolCallId === id) : undefined,
			refresh: () => this.#sync(),
			decide: (decision, options) => {
				if (this.#session !== session) return;
				void this.#decisions.send(session, confirmation, decision, options, () => { if (this.#session === session) this.#sync(); });
			},
			showAll: () => session?.argumentsOf?.(id, { all: true }) ?? confirmation.arguments,
			stopRun: async () => {
				this.#emit('sveda-stop', { chatId: session?.chatId ?? '', toolCallId: id });
				await session?.stop?.();
			},
			hide: () => this.hide(),
			guard: () => this.#shell.guard(),
		};
	}

	/* Small things */

	/** @param {KeyboardEvent} event */
	#key(event) {
		// Esc leads back from a step; anything else it does is the page's (U12).
		if (event.key !== 'Escape' || event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
		if (!this.#card?.back()) return;
		event.preventDefault();
		event.stopPropagation();
	}

	/**
	 * @param {TextKey} key
	 * @param {Params} [params]
	 */
	#say(key, params) {
		this.#shell.announce(this.#speaker.say(key, params));
	}

	/**
	 * @param {string} type
	 * @param {Record<string, unknown>} detail
	 */
	#emit(type, detail) {
		this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail: Object.freeze(detail) }));
	}
}

/** @param {HTMLElement} node */
function isEditor(node) {
	return node.isContentEditable || node instanceof HTMLTextAreaElement || node instanceof HTMLInputElement;
}

/**
 * Moves the focus to a call that waits, wherever on the page its card is; for
 * a page's own keyboard command. With nothing waiting it is announced (U24).
 *
 * @returns {boolean} true when a card has the focus now
 */
export function focusPendingConfirmation() {
	const cards = [...connected];
	const waiting = cards.find((card) => card.waiting);
	return (waiting ?? cards[0])?.focusPending() ?? false;
}
