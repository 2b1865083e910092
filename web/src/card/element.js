/**
 * `<sveda-confirmation>`: asks about the calls of one session that wait, one
 * at a time, and shows what became of the others.
 *
 * @module
 */

import { LiveRegion } from './announce.js';
import { brandColors } from './brand.js';
import { Card } from './card.js';
import { ContrastGuard } from './contrast-guard.js';
import { deepActiveElement, element, setText, show } from './dom.js';
import { frameState } from './frame.js';
import { GrantsView } from './grants.js';
import { PressTracker } from './gesture.js';
import { Speaker } from './locale.js';
import { Modal } from './modal.js';
import { browserPorts } from './ports.js';
import { advance, sameQuestion } from './queue.js';
import { Results, stateSentence } from './results.js';
import { roomFor } from './room.js';
import { languageOf, observed, readSettings } from './settings.js';
import { sharedSheet } from './styles.js';
import { shortened } from './card-body.js';
import { nameTokens, tokensToText } from './tokens.js';
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
export class SvedaConfirmation extends HTMLElement {
	static observedAttributes = observed;

	/** Where time comes from. @type {Ports} */
	static ports = browserPorts;

	#root;
	#sheet = new CSSStyleSheet();
	#inline;
	#outlet = element('div', 'outlet');
	#reopen = element('button', 'wide', { type: 'button', hidden: '' });
	#elsewhere = element('p', 'surface line', { hidden: '' });
	#guard;
	/** One for the page, one inside the modal: what is inert is not heard. */
	#live;
	#modalLive;
	#presses;
	#speaker;
	/** @type {Settings} */
	#settings;
	#results;
	#grants;
	#modal;

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
	/** Last known state of each call. @type {Map<string, string>} */
	#known = new Map();
	/** Decisions that are on their way. @type {Set<string>} */
	#sending = new Set();
	/** Decisions that did not get away, by call, where the session does not say so itself. @type {Map<string, string>} */
	#failures = new Map();
	/** The session is new to this element: what waits, waited before (S50). */
	#restoring = false;

	constructor() {
		super();
		const ports = /** @type {typeof SvedaConfirmation} */ (this.constructor).ports;
		this.#root = this.attachShadow({ mode: 'open' });
		this.#sheet.replaceSync('.root {}\n:host {}');
		this.#root.adoptedStyleSheets = [sharedSheet(), this.#sheet];
		this.#speaker = new Speaker(null);
		this.#settings = readSettings(this);
		this.#live = new LiveRegion(ports);
		this.#modalLive = new LiveRegion(ports);
		this.#presses = new PressTracker((target) => this.#isOurButton(target), ports.timeOf);
		this.#results = new Results(this.#speaker);
		this.#grants = new GrantsView(this.#speaker, (grant) => this.#revoke(grant));
		this.#modal = new Modal({ back: () => this.#card?.back() ?? false, hide: () => this.hide() });
		this.#inline = element('div', 'root', {}, this.#live.node, this.#results.node, this.#outlet, this.#reopen, this.#elsewhere, this.#grants.node);
		this.#modal.root.append(this.#modalLive.node);
		this.#root.append(this.#inline, this.#modal.dialog);
		this.#guard = new ContrastGuard(this.#root, this.#sheet);
		this.#reopen.addEventListener('click', () => this.show());
		this.#root.addEventListener('keydown', (event) => this.#key(/** @type {KeyboardEvent} */ (event)));
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
		this.#known.clear();
		this.#failures.clear();
		this.#sending.clear();
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
		// A new rule: not every engine notices a changed one of a `:host` selector.
		this.#sheet.deleteRule(1);
		this.#sheet.insertRule(':host {}', 1);
		const rule = /** @type {CSSStyleRule} */ (this.#sheet.cssRules[1]);
		for (const [name, color] of brandColors(theme)) rule.style.setProperty(`--_brand-${name}`, color);
		this.#root.adoptedStyleSheets = [sharedSheet(), this.#sheet];
		this.#guarded();
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
		this.#reopen.focus();
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
		window.addEventListener('resize', () => this.#measure(), { signal });
		for (const query of ['(forced-colors: active)', '(prefers-color-scheme: dark)']) {
			matchMedia(query).addEventListener('change', () => this.#card?.surroundingsChanged(), { signal });
		}
		window.addEventListener('online', () => this.#recheck(), { signal });
		const root = new MutationObserver(() => this.#speak());
		root.observe(document.documentElement, { attributeFilter: ['lang'] });
		const end = onTextsChange(() => this.#speak(true));
		signal.addEventListener('abort', () => { root.disconnect(); end(); });
		this.#settings = readSettings(this);
		this.#restoring = true;
		this.#speak();
		this.#measure();
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
		this.#modal.close();
	}

	/* Language, room, colors */

	/** @param {boolean} [anew] also when the language is the same */
	#speak(anew = false) {
		const speaker = new Speaker(languageOf(this));
		if (!anew && speaker.lang === this.#speaker.lang && this.#inline.lang === speaker.lang) return;
		this.#speaker = speaker;
		for (const root of [this.#inline, this.#modal.root]) {
			root.lang = speaker.lang;
			root.dir = speaker.dir;
		}
		this.#results.speak(speaker);
		this.#grants.speak(speaker);
		this.#card?.speak(speaker);
		this.#pointElsewhere();
		this.#count();
	}

	#measure() {
		const rule = /** @type {CSSStyleRule} */ (this.#sheet.cssRules[0]);
		const room = roomFor(this);
		if (room === null) rule.style.removeProperty('--_room');
		else rule.style.setProperty('--_room', `${room}px`);
	}

	#guarded() {
		if (this.isConnected) this.#guard.apply();
	}

	/* What the session says */

	/** @returns {readonly Confirmation[]} */
	#confirmations() {
		if (!this.#session) return this.#static ? [this.#static] : [];
		if (this.#failures.size === 0) return this.#session.confirmations;
		return this.#session.confirmations.map((confirmation) => {
			const code = this.#failures.get(confirmation.toolCallId);
			return code !== undefined && confirmation.state === 'pending' && !confirmation.error
				? { ...confirmation, error: { code } } : confirmation;
		});
	}

	#sync() {
		if (!this.isConnected) return;
		const list = this.#confirmations();
		const liveId = this.#card?.confirmation.toolCallId ?? this.#hidden;
		const { live, waiting, lines } = advance(liveId, list);
		try {
			this.#tell(list);
		} catch {
			// What cannot be announced is still shown.
		}
		const had = this.#card && deepActiveElementIn(this.#root, this.#card.node) ? this.#card.confirmation.toolCallId : null;
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
		const sending = live.state === 'deciding' || this.#sending.has(live.toolCallId);
		if (this.#card && !sameQuestion(this.#card.confirmation, live)) this.#dropCard();
		if (!this.#card) {
			this.#card = new Card(this.#cardHost(live), live);
			(this.#settings.modal ? this.#modal.root : this.#outlet).append(this.#card.node);
			this.#measure();
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
		this.#modal.close();
		this.#sync();
	}

	/** Opens or closes the modal as the live call wants it. @param {string | null} had the call that had the focus */
	#modality(had) {
		const card = this.#card;
		const open = this.#settings.modal && card !== null && card.confirmation.toolCallId !== this.#hidden;
		if (open && card) {
			if (this.#modal.open && (had === null || had === card.confirmation.toolCallId)) return;
			this.#modal.show(card.heading);
			card.measure();
			return;
		}
		if (!this.#modal.open) return;
		const opener = this.#modal.close();
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

	/** Announces arrivals and outcomes, each once (U20, U22). @param {readonly Confirmation[]} list */
	#tell(list) {
		for (const confirmation of list) {
			const { toolCallId, state } = confirmation;
			const before = this.#known.get(toolCallId);
			const now = state === 'pending' && confirmation.error ? 'failed' : state;
			if (before === now) continue;
			this.#known.set(toolCallId, now);
			if (before === undefined) {
				if (state === 'pending') this.#say('announceArrival', { tool: this.#toolName(confirmation) });
			} else if (now !== 'pending' && now !== 'deciding' && !(before === 'approved' && now === 'resolved') && !(before === 'denied' && now === 'resolved')) {
				this.#announce(stateSentence(confirmation, this.#speaker));
			}
		}
		for (const id of this.#known.keys()) if (!list.some((c) => c.toolCallId === id)) this.#known.delete(id);
	}

	/** @param {Confirmation} confirmation */
	#toolName(confirmation) {
		return tokensToText(shortened(confirmation.toolNameTokens ?? nameTokens(confirmation.toolName), 96), this.#speaker);
	}

	/* Around the card */

	#count() {
		const pending = this.#confirmations().filter((c) => c.state === 'pending' || c.state === 'deciding').length;
		const hidden = this.#settings.modal && this.#card !== null && !this.#modal.open;
		show(this.#reopen, hidden);
		if (hidden) setText(this.#reopen, this.#speaker.say('decisionsWaiting', { n: pending }));
	}

	#pointElsewhere() {
		const waiting = this.#others.filter((session) => session !== this.#session && session.confirmations.some((c) => c.state === 'pending'));
		show(this.#elsewhere, waiting.length > 0);
		if (waiting.length === 0) return;
		const text = this.#speaker.say('elsewhere', { n: waiting.length });
		if (this.#elsewhere.firstChild?.textContent === text) return;
		const open = element('button', 'quiet', { type: 'button' }, this.#speaker.say('openChat'));
		open.addEventListener('click', () => this.#emit('sveda-open-chat', { chatId: waiting[0].chatId }));
		this.#elsewhere.replaceChildren(element('span', '', {}, text), open);
	}

	/** @param {Grant} grant */
	async #revoke(grant) {
		const tool = tokensToText(shortened(nameTokens(grant.toolName), 96), this.#speaker);
		try {
			await this.#session?.revokeGrant?.(grant);
			this.#say('revoked', { tool });
		} catch {
			this.#say('revokeFailed', { tool });
		}
		this.#sync();
	}

	#recheck() {
		this.#restoring = true;
		if (this.#card && this.#session?.verifyConfirmation) this.#redraw();
		this.#restoring = false;
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
			decide: (decision, options) => { void this.#decide(session, confirmation, decision, options); },
			showAll: () => session?.argumentsOf?.(id, { all: true }) ?? confirmation.arguments,
			stopRun: () => {
				this.#emit('sveda-stop', { chatId: session?.chatId ?? '', toolCallId: id });
				session?.stop?.();
			},
			hide: () => this.hide(),
			guard: () => this.#guarded(),
		};
	}

	/**
	 * @param {ConfirmationSession | null} session
	 * @param {Confirmation} confirmation
	 * @param {'approve'|'deny'} decision
	 * @param {{reason?: string, remember?: 'chat'}} options
	 */
	async #decide(session, confirmation, decision, options) {
		const id = confirmation.toolCallId;
		if (this.#session !== session || this.#sending.has(id)) return;
		const chatId = session?.chatId ?? '';
		this.#failures.delete(id);
		if (!session) return this.#emit('sveda-decision', { chatId, toolCallId: id, decision, remember: options.remember ?? null });
		this.#sending.add(id); // before anything waits: a second press finds it
		/** @type {Promise<unknown>} */
		let sent;
		try {
			sent = Promise.resolve(session.resolveToolConfirmation(id, decision, { ...options, digest: confirmation.arguments.digest }));
		} catch (error) {
			sent = Promise.reject(error);
		}
		this.#emit('sveda-decision', { chatId, toolCallId: id, decision, remember: options.remember ?? null });
		this.#sync();
		try {
			await sent;
		} catch (error) {
			const code = codeOf(error);
			if (this.#session === session) this.#failures.set(id, code);
			this.#emit('sveda-decision-failed', { chatId, toolCallId: id, code });
		} finally {
			this.#sending.delete(id);
			if (this.#session === session) this.#sync();
		}
	}

	/* Small things */

	/** @param {EventTarget} target */
	#isOurButton(target) {
		return target instanceof HTMLButtonElement && target.getRootNode() === this.#root;
	}

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
		this.#announce(this.#speaker.say(key, params));
	}

	/** @param {string} text */
	#announce(text) {
		(this.#modal.open ? this.#modalLive : this.#live).say(text);
	}

	/**
	 * @param {string} type
	 * @param {Record<string, unknown>} detail
	 */
	#emit(type, detail) {
		this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail: Object.freeze(detail) }));
	}
}

/**
 * @param {ShadowRoot} root
 * @param {Node} node
 */
function deepActiveElementIn(root, node) {
	return root.activeElement !== null && node.contains(root.activeElement);
}

/** @param {HTMLElement} node */
function isEditor(node) {
	return node.isContentEditable || node instanceof HTMLTextAreaElement || node instanceof HTMLInputElement;
}

/** @param {unknown} error */
function codeOf(error) {
	const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
	return typeof code === 'string' ? code : 'unknown';
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
