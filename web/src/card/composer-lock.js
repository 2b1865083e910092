/**
 * Locks a message composer while a decision waits, without taking focus,
 * draft, caret or selection away (U16). `disabled` and `inert` would drop the
 * focus to the body, and the next keys with it; `readonly` does not.
 *
 * @module
 */

import { Speaker } from './locale.js';

/** @import { ConfirmationSession } from './types.js' */

/**
 * @typedef {object} ComposerLock
 * @property {(reason: string) => void} lock
 * @property {() => void} unlock
 * @property {boolean} locked
 * @property {() => void} dispose unlocks and lets go of the element
 */

let count = 0;

/** Keys that move or select and do nothing else. */
const harmless = new Set([
	'Tab', 'Escape', 'Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'NumLock', 'ScrollLock', 'ContextMenu',
	'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown',
]);

/**
 * @param {HTMLElement} composer a `textarea`, an `input`, or an editable element
 * @param {HTMLElement} reasonNode where the page wants the reason to be seen; it gets an id if it has none
 * @returns {ComposerLock}
 */
export function createComposerLock(composer, reasonNode) {
	const abort = new AbortController();
	const field = composer instanceof HTMLTextAreaElement || composer instanceof HTMLInputElement ? composer : null;
	let locked = false;
	let composing = false;
	let wasReadOnly = false;
	/** @type {string | null} */
	let wasDescribed = null;
	if (!reasonNode.id) reasonNode.id = `sveda-composer-locked-${++count}`;

	const apply = () => {
		if (!field) composer.setAttribute('aria-readonly', 'true');
		else field.readOnly = true;
	};
	/** @param {KeyboardEvent} event */
	const swallow = (event) => {
		if (!locked || event.composedPath()[0] !== composer || composing) return;
		const chord = (event.ctrlKey || event.metaKey || event.altKey) && event.key !== 'Enter';
		if (chord || harmless.has(event.key) || /^F\d+$/.test(event.key)) return;
		// Typed for the composer: no shortcut of the page may take it for its own.
		event.stopImmediatePropagation();
		if (event.key === 'Enter' || !field) event.preventDefault();
	};
	const options = { capture: true, signal: abort.signal };
	for (const type of /** @type {const} */ (['keydown', 'keypress', 'keyup'])) window.addEventListener(type, swallow, options);
	composer.addEventListener('compositionstart', () => { composing = true; }, options);
	composer.addEventListener('compositionend', () => {
		composing = false;
		if (locked) apply(); // a lock never cuts a composition
	}, options);
	composer.addEventListener('beforeinput', (event) => {
		if (locked && !composing && event.cancelable) event.preventDefault();
	}, options);
	for (const type of ['paste', 'drop']) {
		composer.addEventListener(type, (event) => {
			if (!locked) return;
			event.preventDefault();
			event.stopImmediatePropagation();
		}, options);
	}

	const lock = {
		get locked() {
			return locked;
		},
		/** @param {string} reason */
		lock(reason) {
			reasonNode.textContent = reason;
			reasonNode.hidden = false;
			if (locked) return;
			locked = true;
			wasReadOnly = field?.readOnly ?? false;
			wasDescribed = composer.getAttribute('aria-describedby');
			composer.setAttribute('aria-disabled', 'true');
			composer.setAttribute('aria-describedby', [wasDescribed, reasonNode.id].filter(Boolean).join(' '));
			if (!composing) apply();
		},
		unlock() {
			if (!locked) return;
			locked = false;
			reasonNode.hidden = true;
			reasonNode.textContent = '';
			composer.removeAttribute('aria-disabled');
			if (field) field.readOnly = wasReadOnly;
			else composer.removeAttribute('aria-readonly');
			if (wasDescribed === null) composer.removeAttribute('aria-describedby');
			else composer.setAttribute('aria-describedby', wasDescribed);
		},
		dispose() {
			lock.unlock();
			abort.abort();
		},
	};
	return lock;
}

/**
 * Locks a composer whenever a decision of the session waits.
 *
 * @param {ConfirmationSession} session
 * @param {HTMLElement} composer
 * @param {HTMLElement} reasonNode
 * @param {{lang?: string, onChange?: (locked: boolean) => void}} [options] `onChange` locks what else
 *   belongs to the composer: attachments, the microphone
 * @returns {() => void} ends it and unlocks
 */
export function bindComposerLock(session, composer, reasonNode, { lang, onChange } = {}) {
	const lock = createComposerLock(composer, reasonNode);
	const update = () => {
		const pending = session.confirmationPending ?? session.confirmations.some((c) => c.state === 'pending' || c.state === 'deciding');
		if (pending) lock.lock(new Speaker(lang ?? document.documentElement.lang).say('composerLocked'));
		else lock.unlock();
		onChange?.(pending);
	};
	const unsubscribe = session.subscribe(update);
	update();
	return () => {
		unsubscribe();
		lock.dispose();
	};
}
