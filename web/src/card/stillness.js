/**
 * Watches what the protection time depends on: that the card is in view, the
 * page in front, and nothing moves (S21, S22).
 *
 * @module
 */

/** @import { Ports } from './ports.js' */

/** How far a card may move before it counts as moved, in CSS pixels. */
const tolerance = 10;

/** Time between two looks, in milliseconds. */
export const interval = 100;

export class Stillness {
	#target;
	#heading;
	#ports;
	#on;
	#abort = new AbortController();
	/** @type {IntersectionObserver | null} */
	#observer = null;
	#stopLooking = () => {};
	#inView = false;
	#headingSeen = false;
	/** @type {{x: number, y: number, width: number, height: number, screenX: number, screenY: number} | null} */
	#place = null;

	/**
	 * @param {Element} target the buttons
	 * @param {Element} heading must have been in view once: nobody confirms what was never on screen
	 * @param {Ports} ports
	 * @param {{moved: () => void, view: (visible: boolean) => void, look: () => void}} on
	 */
	constructor(target, heading, ports, on) {
		this.#target = target;
		this.#heading = heading;
		this.#ports = ports;
		this.#on = on;
	}

	start() {
		const { signal } = this.#abort;
		const moved = () => this.#on.moved();
		const seen = () => this.#report();
		window.addEventListener('focus', (event) => { if (event.target === window) moved(); }, { signal, capture: true });
		window.addEventListener('pageshow', moved, { signal });
		window.addEventListener('resize', moved, { signal });
		document.addEventListener('resume', moved, { signal });
		document.addEventListener('fullscreenchange', moved, { signal });
		document.addEventListener('webkitfullscreenchange', moved, { signal });
		document.addEventListener('pointerlockchange', moved, { signal });
		document.addEventListener('visibilitychange', seen, { signal });
		this.#observer = new IntersectionObserver((entries) => {
			for (const entry of entries) {
				if (entry.target === this.#target) this.#inView = entry.isIntersecting && entry.intersectionRatio >= 0.5;
				else if (entry.isIntersecting) this.#headingSeen = true;
			}
			this.#report();
		}, { threshold: [0, 0.5, 1] });
		this.#observer.observe(this.#target);
		this.#observer.observe(this.#heading);
		this.#stopLooking = this.#ports.every(interval, () => {
			if (document.visibilityState !== 'visible') return;
			this.#on.look();
			if (this.check()) this.#on.moved();
		});
	}

	stop() {
		this.#abort.abort();
		this.#observer?.disconnect();
		this.#stopLooking();
	}

	/** The heading has been in view, at least once. */
	get headingSeen() {
		return this.#headingSeen;
	}

	/** Takes the present place as the right one: the card changed by itself. */
	rebase() {
		this.#place = this.#measure();
	}

	/**
	 * Whether the card moved or changed its size since the last look.
	 *
	 * @returns {boolean}
	 */
	check() {
		const before = this.#place;
		const now = this.#measure();
		if (before === null) {
			this.#place = now;
			return false;
		}
		const far = (/** @type {'x' | 'y' | 'screenX' | 'screenY'} */ side) => Math.abs(now[side] - before[side]) >= tolerance;
		const resized = Math.abs(now.width - before.width) > 1 || Math.abs(now.height - before.height) > 1;
		const moved = resized || far('x') || far('y') || far('screenX') || far('screenY');
		// Slow drift adds up: the place stays until it counts as moved.
		if (moved) this.#place = now;
		return moved;
	}

	#measure() {
		const { x, y, width, height } = this.#target.getBoundingClientRect();
		return { x, y, width, height, screenX: window.screenX, screenY: window.screenY };
	}

	#report() {
		this.#on.view(this.#inView && this.#headingSeen && document.visibilityState === 'visible');
	}
}
