/**
 * What the element consists of before there is a question: its roots in the
 * page and in the modal, its style sheets, its live regions, the button that
 * brings the modal back.
 *
 * @module
 */

import { LiveRegion } from './announce.js';
import { brandColors } from './brand.js';
import { ContrastGuard } from './contrast-guard.js';
import { button, element, setText, show } from './dom.js';
import { Modal } from './modal.js';
import { roomFor } from './room.js';
import { sharedSheet } from './styles.js';

/**
 * @import { BrandTheme } from './brand.js'
 * @import { Ports } from './ports.js'
 * @import { Speaker } from './locale.js'
 */

export class Shell {
	/** @readonly */
	modal;
	/** @readonly where the inline card stands */
	outlet = element('div', 'outlet');
	/** @readonly brings the modal back */
	reopen = button('wide', { hidden: '' });
	#host;
	#root;
	/** Of this element alone: repaired colors and room in the first rule, the brand in the second. */
	#sheet = new CSSStyleSheet();
	#inline = element('div', 'root');
	#guard;
	/** One for the page, one inside the modal: what is inert is not heard. */
	#live;
	#modalLive;

	/**
	 * @param {HTMLElement} host
	 * @param {Ports} ports
	 * @param {ConstructorParameters<typeof Modal>[0]} on what the keys of the modal do
	 */
	constructor(host, ports, on) {
		this.#host = host;
		this.#root = host.attachShadow({ mode: 'open' });
		this.#sheet.replaceSync('.root {}\n:host {}');
		this.#adopt();
		this.#live = new LiveRegion(ports);
		this.#modalLive = new LiveRegion(ports);
		this.modal = new Modal(on);
		this.modal.root.append(this.#modalLive.node);
		this.#root.append(this.#inline, this.modal.dialog);
		this.#guard = new ContrastGuard(this.#root, this.#sheet);
	}

	/**
	 * Fills the inline root: results above the card, the rest below.
	 *
	 * @param {HTMLElement} above
	 * @param {...HTMLElement} below
	 */
	fill(above, ...below) {
		this.#inline.append(this.#live.node, above, this.outlet, this.reopen, ...below);
	}

	/** @returns {Element | null} what has the focus inside */
	get active() {
		return this.#root.activeElement;
	}

	/** @param {EventTarget} target */
	isButton(target) {
		return target instanceof HTMLButtonElement && target.getRootNode() === this.#root;
	}

	/**
	 * @param {'keydown'} type
	 * @param {(event: KeyboardEvent) => void} listener
	 */
	listen(type, listener) {
		this.#root.addEventListener(type, (event) => listener(/** @type {KeyboardEvent} */ (event)));
	}

	/** The language that the roots say, or an empty text before the first. */
	get lang() {
		return this.#inline.lang;
	}

	/** @param {Speaker} speaker */
	speak({ lang, dir }) {
		for (const root of [this.#inline, this.modal.root]) {
			root.lang = lang;
			root.dir = dir;
		}
	}

	/** @param {string} text */
	announce(text) {
		(this.modal.open ? this.#modalLive : this.#live).say(text);
	}

	/** @param {string | null} text of the button that brings the modal back; null while there is nothing to bring back */
	offerReopen(text) {
		show(this.reopen, text !== null);
		if (text !== null) setText(this.reopen, text);
	}

	/** Takes the room that the card has, see `room.js`. */
	measure() {
		const rule = /** @type {CSSStyleRule} */ (this.#sheet.cssRules[0]);
		const room = roomFor(this.#host);
		if (room === null) rule.style.removeProperty('--_room');
		else rule.style.setProperty('--_room', `${room}px`);
	}

	/** Holds the colors readable (U41). */
	guard() {
		if (this.#host.isConnected) this.#guard.apply();
	}

	/** @param {BrandTheme | null} theme */
	brand(theme) {
		// A new rule: not every engine notices a changed one of a `:host` selector.
		this.#sheet.deleteRule(1);
		this.#sheet.insertRule(':host {}', 1);
		const rule = /** @type {CSSStyleRule} */ (this.#sheet.cssRules[1]);
		for (const [name, color] of brandColors(theme)) rule.style.setProperty(`--_brand-${name}`, color);
		this.#adopt();
		this.guard();
	}

	#adopt() {
		this.#root.adoptedStyleSheets = [sharedSheet(), this.#sheet];
	}
}
