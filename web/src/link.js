/**
 * One session in Go, as the page's side sees it: inputs as calls, and what they
 * lead to, in order. A change is applied before listeners hear of it, listeners
 * hear of it before the effects that follow are done, and all of that happens
 * after the call into Go has returned.
 *
 * A listener may call into the session again. Its call is taken at once and the
 * mirror shows it at once; what it leads to is told after what is being told.
 *
 * @module
 */

import { FrameReader, Op, firstAnswer, firstEffect } from './frame.js';
import { errorFrom } from './errors.js';

/**
 * @typedef {ReturnType<FrameReader['effect']>} Effect what the driver must do
 * @typedef {ReturnType<FrameReader['request']>} WireRequest
 *
 * @typedef {object} Outlet where things go
 * @property {import('./view.js').View} view
 * @property {(name: string) => boolean} hears whether an event has listeners
 * @property {(name: string, payload: any) => void} emit tells them
 * @property {(urgent: boolean) => void} changed the mirror shows something else
 * @property {(effect: Effect) => void} perform
 */

/** A change that is applied when its turn comes. */
class Deferred {
	/**
	 * @param {number} op
	 * @param {Uint8Array} frame
	 * @param {number} at where the change's fields stand
	 */
	constructor(op, frame, at) {
		this.op = op;
		this.frame = frame;
		this.at = at;
	}
}

/** In the queue: the changes of one call end here. */
const end = Symbol('end');

/**
 * Changes that make `messages` or `confirmations` differ: told once for many.
 *
 * @type {Set<number>}
 */
const messageOps = new Set([
	Op.MessagesReset, Op.MessageAdd, Op.MessageRemove, Op.MessageID, Op.PartAdd, Op.PartSet, Op.PartText,
]);
/** @type {Set<number>} */
const confirmationOps = new Set([Op.ConfirmationSet, Op.ConfirmationsCleared]);

/**
 * Changes that subscribers may hear of a frame later; of all others at once.
 *
 * @type {Set<number>}
 */
const patientOps = new Set([
	Op.MessageAdd, Op.MessageID, Op.PartAdd, Op.PartSet, Op.PartText, Op.RawEvent, Op.Notify, Op.Warning,
]);

const reader = new FrameReader();

export class Link {
	#core;
	#handle;
	#outlet;
	/** @type {(Deferred | typeof end | (() => void))[]} what is to be applied, told and done */
	#queue = [];
	#head = 0;
	#running = false;
	/** What differs since listeners were told. */
	#messages = false;
	#confirmations = false;
	/** What differs since subscribers were told. */
	#any = false;
	#urgent = false;

	/**
	 * Whether each change is applied only when what came before it has been
	 * told, so that listeners of raw events see the state of that event
	 * (contract, section 3).
	 */
	stepwise = false;

	/**
	 * @param {import('./core.js').Core} core
	 * @param {number} handle
	 * @param {Outlet} outlet
	 */
	constructor(core, handle, outlet) {
		this.#core = core;
		this.#handle = handle;
		this.#outlet = outlet;
	}

	/** The instance that holds the session. */
	get core() {
		return this.#core;
	}

	/**
	 * Calls an entry of the table SvedaChatSession.
	 *
	 * @param {string} name
	 * @param {readonly number[]} numbers
	 * @param {readonly (Uint8Array | string | undefined)[]} [fields] written before the call
	 * @returns {any} the answer, when the entry has one
	 * @throws {import('./errors.js').SvedaError} the error that the entry answered
	 */
	call(name, numbers, fields) {
		return this.#call('SvedaChatSession', name, numbers, fields);
	}

	/**
	 * Calls an entry of the table SvedaSocket, as {@link call} does.
	 *
	 * @type {Link['call']}
	 */
	socket(name, numbers, fields) {
		return this.#call('SvedaSocket', name, numbers, fields);
	}

	/**
	 * @param {string} table
	 * @param {string} name
	 * @param {readonly number[]} numbers
	 * @param {readonly (Uint8Array | string | undefined)[]} [fields]
	 */
	#call(table, name, numbers, fields) {
		const core = this.#core;
		core.tick();
		return this.#take(
			fields === undefined
				? core.call(table, name, this.#handle, ...numbers)
				: core.call(table, name, this.#handle, ...numbers, core.writeFields(...fields)),
		);
	}

	/**
	 * Takes what the session's socket brings, from now on.
	 *
	 * @returns {() => void} ends that
	 */
	listen() {
		return this.#core.onWake(this.#handle, () => {
			this.#core.tick();
			this.#take(this.#core.enter('pull', this.#handle));
		});
	}

	/**
	 * Gives bytes of a response to the session.
	 *
	 * @param {number} stream
	 * @param {Uint8Array} bytes
	 */
	feed(stream, bytes) {
		this.#take(this.#core.feed(this.#handle, stream, bytes));
	}

	/**
	 * Reads the frame of a call.
	 *
	 * @param {number} length
	 */
	#take(length) {
		if (length === 0) return undefined;
		this.#catchUp();
		let bytes = this.#core.frame(length);
		// What a listener's own call changes is shown to it at once.
		const stepwise = this.stepwise && !this.#running;
		if (stepwise) bytes = bytes.slice(); // the next call writes Go's outbox again
		const frame = reader.open(bytes);
		let changed = false;
		if (bytes[0] === Op.PartText && !stepwise && !this.#running) {
			// A frame of text alone, which nearly every frame is, needs no queue.
			this.#outlet.view.appendTexts(frame);
			this.#messages = this.#any = changed = true;
			if (!frame.more) {
				this.#tellText();
				return undefined;
			}
		}
		/** @type {any} */
		let answer;
		let failed = false;
		while (frame.more) {
			const op = frame.op();
			if (op < firstEffect) {
				if (stepwise) {
					this.#queue.push(new Deferred(op, bytes, frame.at));
					frame.skipChange();
				} else {
					if (!gathered(op)) this.#queue.push(...this.#lists());
					this.#push(this.#apply(op, frame));
				}
				changed = true;
				continue;
			}
			if (changed) this.#endOfChanges(stepwise);
			changed = false;
			if (op < firstAnswer) {
				const effect = frame.effect(op);
				this.#queue.push(() => this.#outlet.perform(effect));
			} else {
				answer = frame.answer(op);
				failed = op === Op.Error;
			}
		}
		if (changed) this.#endOfChanges(stepwise);
		this.#run();
		if (failed) throw errorFrom(answer);
		return answer;
	}

	/** Tells that text was appended, when nothing waits to be told before it. */
	#tellText() {
		this.#running = true;
		try {
			for (const tell of this.#lists()) tell();
			for (const tell of this.#notice()) tell();
		} finally {
			this.#running = false;
		}
		this.#run(); // what a listener's own call led to
	}

	/** @param {boolean} stepwise */
	#endOfChanges(stepwise) {
		if (stepwise) this.#queue.push(end);
		else this.#queue.push(...this.#lists(), ...this.#notice());
	}

	/** Applies what waits, so that a call from inside a listener meets the truth. */
	#catchUp() {
		if (this.#head === this.#queue.length) return;
		const waiting = this.#queue.slice(this.#head);
		this.#queue = [];
		this.#head = 0;
		for (const item of waiting) {
			if (item === end) this.#queue.push(...this.#lists(), ...this.#notice());
			else if (item instanceof Deferred) {
				if (!gathered(item.op)) this.#queue.push(...this.#lists());
				this.#push(this.#applyDeferred(item));
			} else this.#queue.push(item);
		}
	}

	/** Tells and does what waits, unless a caller further up is at it. */
	#run() {
		if (this.#running) return;
		this.#running = true;
		try {
			while (this.#head < this.#queue.length) {
				const item = this.#queue[this.#head];
				if (item instanceof Deferred && !gathered(item.op)) {
					const told = this.#lists();
					for (const tell of told) tell();
					if (told.length > 0) continue; // a listener may have brought the queue further
				}
				this.#head++;
				if (item === end) for (const tell of [...this.#lists(), ...this.#notice()]) tell();
				else if (item instanceof Deferred) this.#applyDeferred(item)?.();
				else item();
			}
			this.#queue = [];
			this.#head = 0;
		} finally {
			this.#running = false;
		}
	}

	/** @param {(() => void) | undefined} tell */
	#push(tell) {
		if (tell !== undefined) this.#queue.push(tell);
	}

	/** @param {Deferred} deferred */
	#applyDeferred(deferred) {
		return this.#apply(deferred.op, new FrameReader().open(deferred.frame, deferred.at));
	}

	/**
	 * Applies one change to the mirror.
	 *
	 * @param {number} op
	 * @param {FrameReader} frame stands at the change's fields
	 * @returns {(() => void) | undefined} tells the listeners, if there are any
	 */
	#apply(op, frame) {
		const { view } = this.#outlet;
		this.#any = true;
		if (!patientOps.has(op)) this.#urgent = true;
		if (messageOps.has(op)) this.#messages = true;
		if (confirmationOps.has(op)) this.#confirmations = true;
		const name = view.apply(op, frame);
		if (name === undefined || !this.#outlet.hears(name)) return undefined;
		const payload = view.told;
		return () => this.#outlet.emit(name, payload);
	}

	/** Tells of the lists that differ. */
	#lists() {
		/** @type {(() => void)[]} */
		const tells = [];
		const { view } = this.#outlet;
		if (this.#messages) {
			this.#messages = false;
			if (this.#outlet.hears('messages')) {
				const list = view.messages;
				tells.push(() => this.#outlet.emit('messages', list));
			}
		}
		if (this.#confirmations) {
			this.#confirmations = false;
			if (this.#outlet.hears('confirmations')) {
				const list = view.confirmations;
				tells.push(() => this.#outlet.emit('confirmations', list));
			}
		}
		return tells;
	}

	/** Tells subscribers that the mirror shows something else. */
	#notice() {
		if (!this.#any) return [];
		const urgent = this.#urgent;
		this.#any = this.#urgent = false;
		return [() => this.#outlet.changed(urgent)];
	}
}

/**
 * Whether a change is told together with others of its kind.
 *
 * @param {number} op
 */
function gathered(op) {
	return messageOps.has(op) || confirmationOps.has(op);
}
