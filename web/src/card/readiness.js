/**
 * Whether a call may be confirmed at this moment: the card has been in view
 * and still for long enough, nobody frames or covers it, it can be read,
 * everything is on the page, and the server still waits.
 *
 * @module
 */

import { unavailable } from './availability.js';
import { watchCover } from './frame.js';
import { Freshness } from './freshness.js';
import { isLegible } from './legibility.js';
import { Protection } from './protection.js';
import { Stillness } from './stillness.js';

/**
 * @import { Arguments, ConfirmationSession } from './types.js'
 * @import { Ports } from './ports.js'
 * @import { Unavailable } from './availability.js'
 */

/**
 * @typedef {object} ReadinessHost
 * @property {Ports} ports
 * @property {ConfirmationSession | null} session
 * @property {boolean} restored the call waited before this card was there
 * @property {() => 'ok' | 'framed'} frame
 * @property {() => void} guard holds the colors readable
 */

/** Looks between two checks of the page's effects and colors. */
const looksPerCheck = 3;

export class Readiness {
	#host;
	#on;
	#protection = new Protection();
	#freshness;
	/** @type {Stillness | null} */
	#stillness = null;
	/** @type {HTMLElement | null} */
	#heading = null;
	#covered = false;
	#legible = true;
	#looks = 0;
	/** @type {unknown} */
	#timer;
	#endCover = () => {};

	/**
	 * @param {ReadinessHost} host
	 * @param {string} toolCallId
	 * @param {() => void} changed called when the answer may be another one
	 */
	constructor(host, toolCallId, changed) {
		this.#host = host;
		this.#on = changed;
		this.#freshness = new Freshness(host.session, toolCallId, host.ports, {
			restored: host.restored, onChange: () => this.changed(),
		});
	}

	/**
	 * Begins to watch a card that is on the page.
	 *
	 * @param {{node: HTMLElement, heading: HTMLElement, actions: HTMLElement}} card
	 */
	watch({ node, heading, actions }) {
		this.#heading = heading;
		this.#stillness = new Stillness(actions, heading, this.#host.ports, {
			moved: () => this.#restart(),
			view: (visible) => this.#inView(visible),
			look: () => this.#look(),
		});
		this.#stillness.start();
		if (window.parent !== window) {
			this.#endCover = watchCover(node, (covered) => {
				if (covered === this.#covered) return;
				this.#covered = covered;
				this.changed();
			}) ?? this.#endCover;
		}
		for (const type of ['pointerdown', 'keydown']) node.addEventListener(type, () => this.#freshness.touch());
	}

	stop() {
		this.#stillness?.stop();
		this.#endCover();
		this.#host.ports.clearTimeout(this.#timer);
	}

	/** Something that a person must see first has changed: the time starts again. */
	changed() {
		this.#restart();
		this.rebase();
	}

	/** The card changed its place or size by itself, without a new content. */
	rebase() {
		this.#stillness?.rebase();
	}

	/** Asks the server anew, where the session can (S50). */
	recheck() {
		void this.#freshness.check();
	}

	/** Looks now rather than at the next look: a press is about to count. */
	lookNow() {
		if (this.#stillness?.check()) this.#restart();
		this.#checkPage();
	}

	/**
	 * @param {{shown: Arguments, drawn: boolean} | null} body of the card; null when it could not be drawn
	 * @returns {Unavailable | null}
	 */
	reason(body) {
		if (!body) return 'malformed';
		return unavailable(body.shown, {
			frame: this.#host.frame() === 'framed' ? 'framed' : this.#covered ? 'covered' : 'ok',
			readable: this.#legible,
			drawn: body.drawn,
			fresh: this.#freshness.state,
		});
	}

	/** The protection time is over for a press that began then. @param {number} startedAt */
	accepts(startedAt) {
		return this.#protection.accepts(startedAt);
	}

	/** The heading, which says what would run, has never been in view. */
	get unseen() {
		return this.#stillness?.headingSeen === false;
	}

	/** The protection time is over. */
	get calm() {
		return this.accepts(this.#host.ports.now());
	}

	/** Somebody pressed too early. */
	early() {
		this.#protection.early(this.#host.ports.now());
		this.#schedule();
	}

	#restart() {
		this.#protection.restart(this.#host.ports.now());
		this.#schedule();
		this.#on();
	}

	/** @param {boolean} visible */
	#inView(visible) {
		if (visible) this.#protection.resume(this.#host.ports.now());
		else this.#protection.suspend();
		this.#schedule();
		this.#on();
	}

	#look() {
		this.#freshness.look();
		if (this.#looks++ % looksPerCheck === 0) this.#checkPage();
		this.#on();
	}

	#checkPage() {
		this.#host.guard();
		const legible = this.#heading === null || isLegible(this.#heading);
		if (legible === this.#legible) return;
		this.#legible = legible;
		if (!legible) console.warn('sveda-confirmation: effects of the page make a request unreadable; it cannot be confirmed');
		this.changed();
	}

	/** Tells of the moment at which the time is over. */
	#schedule() {
		const { ports } = this.#host;
		ports.clearTimeout(this.#timer);
		const wait = this.#protection.armedAt - ports.now();
		if (wait > 0 && wait !== Infinity) this.#timer = ports.setTimeout(this.#on, wait + 1);
	}
}
