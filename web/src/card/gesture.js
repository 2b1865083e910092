/**
 * Where a click came from. A click on a button counts only if the press that
 * made it began on that very button (S24, S25, S27, S28, S30). Each card and
 * each step of it has buttons of its own, so the button is the binding.
 *
 * @module
 */

/**
 * @typedef {object} Press
 * @property {EventTarget | null} button where it began, if on one of ours
 * @property {number} at
 * @property {number | null} endedAt
 */

/** @typedef {Press & {repeat: boolean, composing: boolean}} KeyPress */

/**
 * @typedef {'ok'|'untrusted'|'foreign-press'|'repeat'|'composing'|'double-click'} Verdict
 */

/**
 * A press that ended longer ago, in milliseconds, cannot be the one that made
 * this click: a key clicks as it goes up, a touch may take its time.
 */
const clickWindow = { key: 100, pointer: 1000 };

/** Keys that activate a button. */
const activating = new Set(['Enter', ' ', 'Spacebar']);

export class PressTracker {
	/** @type {Press | null} */
	#pointer = null;
	/** @type {KeyPress | null} */
	#key = null;
	/** @type {{button: EventTarget, detail: number} | null} */
	#lastClick = null;
	#ours;
	#time;

	/**
	 * @param {(target: EventTarget) => boolean} ours tells our buttons from everything else
	 * @param {(event: Event) => number} time of an event, on the protection's clock
	 */
	constructor(ours, time) {
		this.#ours = ours;
		this.#time = time;
	}

	/**
	 * Listens from the outermost point inwards, so that no listener of the page
	 * can hide a press.
	 *
	 * @param {Window} window
	 * @param {AbortSignal} signal
	 */
	listen(window, signal) {
		const options = { capture: true, passive: true, signal };
		window.addEventListener('pointerdown', (event) => this.pointerDown(event), options);
		window.addEventListener('pointerup', (event) => this.pointerEnd(event), options);
		window.addEventListener('pointercancel', () => { this.#pointer = null; }, options);
		window.addEventListener('keydown', (event) => this.keyDown(event), options);
		window.addEventListener('keyup', (event) => this.keyUp(event), options);
		window.addEventListener('blur', (event) => { if (event.target === window) this.forget(); }, options);
	}

	/** Presses that are under way no longer count. */
	forget() {
		this.#pointer = null;
		this.#key = null;
	}

	/** @param {Event} event */
	pointerDown(event) {
		this.#pointer = { button: this.#buttonOf(event), at: this.#time(event), endedAt: null };
		this.#key = null;
	}

	/** @param {Event} event */
	pointerEnd(event) {
		if (this.#pointer) this.#pointer.endedAt = this.#time(event);
	}

	/** @param {KeyboardEvent} event */
	keyDown(event) {
		if (!activating.has(event.key) && event.keyCode !== 229) return;
		const composing = event.isComposing || event.keyCode === 229;
		if (event.repeat && this.#key) {
			this.#key.repeat = true;
			this.#key.button = this.#key.button === this.#buttonOf(event) ? this.#key.button : null;
			return;
		}
		this.#key = {
			button: this.#buttonOf(event), at: this.#time(event), endedAt: null, repeat: event.repeat, composing,
		};
		this.#pointer = null;
	}

	/** @param {KeyboardEvent} event */
	keyUp(event) {
		if (this.#key && activating.has(event.key)) this.#key.endedAt = this.#time(event);
	}

	/**
	 * Judges a click on one of our buttons and remembers it for the next.
	 *
	 * @param {MouseEvent} event
	 * @param {EventTarget} button
	 * @returns {{verdict: Verdict, startedAt: number}} `startedAt` is when the press began
	 */
	judge(event, button) {
		const at = this.#time(event);
		const press = this.#pressOf(at);
		const verdict = this.#verdict(event, button, press);
		this.#lastClick = { button, detail: event.detail };
		this.#pointer = null;
		if (this.#key?.endedAt != null) this.#key = null;
		return { verdict, startedAt: press ? Math.min(press.at, at) : at };
	}

	/**
	 * The press behind a click. None means that no key and no pointer made it:
	 * assistive technology, which may press a button in its own way.
	 *
	 * @param {number} at
	 * @returns {Press | KeyPress | null}
	 */
	#pressOf(at) {
		const press = this.#pointer ?? this.#key;
		if (!press) return null;
		const window = 'repeat' in press ? clickWindow.key : clickWindow.pointer;
		return press.endedAt === null || at - press.endedAt <= window ? press : null;
	}

	/**
	 * @param {MouseEvent} event
	 * @param {EventTarget} button
	 * @param {Press | KeyPress | null} press
	 * @returns {Verdict}
	 */
	#verdict(event, button, press) {
		if (!event.isTrusted) return 'untrusted';
		if (press && 'repeat' in press) {
			if (press.composing) return 'composing';
			if (press.repeat) return 'repeat';
		}
		if (press && press.button !== button) return 'foreign-press';
		if (event.detail > 1) {
			const last = this.#lastClick;
			if (last?.button !== button || last.detail !== event.detail - 1) return 'double-click';
		}
		return 'ok';
	}

	/** @param {Event} event */
	#buttonOf(event) {
		return event.composedPath().find((target) => this.#ours(target)) ?? null;
	}
}
