/**
 * The modal variant: a native dialog, so that everything else is inert and
 * nothing of the page can lie above it (U2). Focus stays inside, Tab wraps,
 * Esc hides it and leaves the call waiting (U12).
 *
 * @module
 */

import { deepActiveElement, element } from './dom.js';

/**
 * Locks the page's scrolling while at least one modal is open. It adds a style
 * sheet of its own instead of writing into the body's style, so that two
 * modals that close in any order leave the page as it was.
 */
class ScrollLock {
	#holders = new Set();
	/** @type {CSSStyleSheet | null} */
	#sheet = null;

	/** @param {object} holder */
	hold(holder) {
		this.#holders.add(holder);
		if (this.#sheet) return;
		this.#sheet = new CSSStyleSheet();
		this.#sheet.replaceSync('html, body { overflow: hidden !important; }');
		document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet];
	}

	/** @param {object} holder */
	release(holder) {
		this.#holders.delete(holder);
		if (this.#holders.size > 0 || !this.#sheet) return;
		const sheet = this.#sheet;
		document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
		this.#sheet = null;
	}
}

const scrollLock = new ScrollLock();

/** What the keyboard can reach. */
const focusable = 'button, textarea, [tabindex="0"]';

export class Modal {
	/** @readonly */
	dialog = element('dialog', '', {
		role: 'alertdialog', 'aria-modal': 'true', 'aria-labelledby': 'heading', 'aria-describedby': 'prompt',
	});
	/** @readonly what the card goes into */
	root = element('div', 'root modal', { tabindex: '-1' });
	#before = element('span', 'sentinel', { tabindex: '-1' });
	#after = element('span', 'sentinel', { tabindex: '-1' });
	/** @type {Element | null} */
	#opener = null;

	/**
	 * @param {object} on
	 * @param {() => boolean} on.back leads back from a step; false when there is none
	 * @param {() => void} on.hide
	 */
	constructor({ back, hide }) {
		this.dialog.append(this.#before, this.root, this.#after);
		this.dialog.addEventListener('cancel', (event) => {
			event.preventDefault(); // closing is ours: the call stays pending
			if (!back()) hide();
		});
		this.dialog.addEventListener('keydown', (event) => {
			if (event.key === 'Tab') this.#wrap(event);
			if (event.key !== 'Escape' || event.isComposing || event.keyCode === 229) return;
			event.preventDefault();
			event.stopPropagation();
			if (!back()) hide();
		});
		// Some engines close on a second Esc without asking. The event of a close
		// of ours may come when the dialog is open again.
		this.dialog.addEventListener('close', () => {
			if (this.#open && !this.dialog.open) hide();
		});
	}

	#open = false;

	get open() {
		return this.#open;
	}

	/** @param {HTMLElement} heading gets the focus, never a control that approves (U9) */
	show(heading) {
		if (!this.#open) {
			this.#opener = deepActiveElement();
			this.#open = true;
			scrollLock.hold(this);
			heading.setAttribute('autofocus', '');
			this.dialog.showModal();
			heading.removeAttribute('autofocus');
		}
		heading.focus();
	}

	/** @returns {Element | null} what had the focus before */
	close() {
		if (!this.#open) return null;
		this.#open = false;
		scrollLock.release(this);
		this.dialog.close();
		return this.#opener;
	}

	/**
	 * At either end the focus steps onto a mark beyond the other end, and the
	 * browser's own step leads inside again: no script ever focuses a button
	 * that approves (U10).
	 *
	 * @param {KeyboardEvent} event
	 */
	#wrap(event) {
		const stops = [...this.root.querySelectorAll(focusable)].filter((node) => node.checkVisibility?.() ?? true);
		const active = /** @type {ShadowRoot} */ (this.dialog.getRootNode()).activeElement;
		const first = stops[0];
		const last = stops.at(-1);
		const inside = active !== null && stops.includes(active);
		if (event.shiftKey && (active === first || !inside)) this.#after.focus();
		else if (!event.shiftKey && active === last) this.#before.focus();
	}
}
