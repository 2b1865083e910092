/**
 * What outlives the page, and what several pages must agree on: snapshots,
 * claims, and the right to act. The rules are in Go (session/tabs.go,
 * session/effect.go); here is who does what when.
 *
 * @module
 */

import { displayMessages, displayOf } from './display.js';
import { ChannelBusyError, SvedaError } from './errors.js';
import { Op } from './frame.js';
import { within } from './storage/within.js';

/**
 * @import { Effect, Link } from './link.js'
 * @import { Stored, StoragePort } from './storage/port.js'
 * @import { Tabs, Hold } from './tabs/tabs.js'
 *
 * @typedef {object} Keeper what the sessions of a client share
 * @property {StoragePort} storage
 * @property {Tabs} tabs
 *
 * @typedef {object} Owner the session
 * @property {() => Link} link
 * @property {() => string} chatId
 * @property {(count: number) => readonly import('./message.js').Message[]} lastMessages
 * @property {(effect: Effect) => void} perform does an effect that was held
 * @property {(durable: boolean) => void} told whether the chat is durable
 * @property {(error: SvedaError) => void} failed a stored chat could not be read
 */

/** How long a strict write may hold what follows (session.Persist), ms. */
const strictTimeout = 2000;

/** How long a relaxed write is put off, ms. */
const relaxedDelay = 250;

/** How long an act waits for another page that is acting, ms (R20). */
const busyTimeout = 15_000;

/** How a write ended; `off`: this page does not write. */
const Written = Object.freeze({ stored: 0, refused: 1, failed: 2, off: 3 });

/** Verdicts of a claim (session.Verdict). */
const Verdict = Object.freeze({ Granted: 0, Taken: 1, Dead: 2, Unclaimable: 3 });

export class Durability {
	#owner;
	/** @type {Keeper | undefined} without one only a crash is survived */ #keeper;
	/** The newest snapshot. @type {Uint8Array | undefined} */ #snapshot;
	/** @type {ReturnType<typeof setTimeout> | undefined} of a relaxed write */ #timer;
	#strict = 0;
	/** @type {Effect[]} effects that wait for the strict writes */ #held = [];
	/** @type {Promise<unknown>} writes go one after the other */ #writing = Promise.resolve();

	/** @type {Hold | undefined} */ #hold;
	/** @type {Promise<void> | undefined} */ #acquiring;
	#fence = 0;
	#version = 0;
	/** Waits for the end of the page that acts. @type {AbortController | undefined} */ #heir;
	#durable = true;
	/** Stored bytes that a newer package wrote are not written over. */ #readOnly = false;
	#closed = false;
	#stopHints = () => {};

	/** When what was stored is shown. @type {Promise<void>} */
	ready = Promise.resolve();

	/**
	 * @param {Owner} owner
	 * @param {Keeper} [keeper]
	 */
	constructor(owner, keeper) {
		this.#owner = owner;
		this.#keeper = keeper;
	}

	/** Shows what is stored, and what other pages do from now on. */
	begin() {
		if (this.#keeper === undefined) return;
		this.#stopHints = this.#keeper.tabs.onHint(({ kind, chatId }) => {
			if (kind === 'cleared') this.#forget();
			else if (chatId === undefined || chatId === this.#owner.chatId()) void this.#look();
		});
		this.ready = this.#look();
	}

	/** Whether a reload would find the chat. */
	get durable() {
		return this.#keeper !== undefined && this.#durable && !this.#readOnly;
	}

	/** The newest snapshot, for a new core. */
	get snapshot() {
		return this.#snapshot;
	}

	/** Timers and waits, for tests of leaks. */
	get load() {
		return this.#timer === undefined ? 0 : 1;
	}

	/**
	 * Takes the right to act before a turn of this page begins, and the newest
	 * state with it.
	 *
	 * @throws {ChannelBusyError} another page acts
	 */
	async act() {
		await this.ready;
		if (this.#keeper === undefined || this.#closed || (this.#hold !== undefined && !this.#hold.lost())) return;
		await (this.#acquiring ??= this.#acquire().finally(() => (this.#acquiring = undefined)));
	}

	/** Whether this page waits for the right to act: then it looks when it has it. */
	get #waitsToAct() {
		return this.#acquiring !== undefined && this.#hold === undefined;
	}

	async #acquire() {
		const { tabs } = /** @type {Keeper} */ (this.#keeper);
		this.#heir?.abort();
		const hold = await tabs.act(this.#owner.chatId(), { wait: busyTimeout });
		if (hold === undefined) throw new ChannelBusyError('another page of this chat is acting');
		await this.#own(hold);
	}

	/** @param {Hold} hold */
	async #own(hold) {
		const { storage } = /** @type {Keeper} */ (this.#keeper);
		if (this.#closed) {
			hold.release();
			return;
		}
		this.#hold?.release();
		this.#hold = hold;
		try {
			this.#fence = await within(strictTimeout, storage.nextFence(this.#owner.chatId()));
			await this.#look();
		} catch {
			this.#tell(false);
		}
	}

	/** Gives the right to act back when no turn of this page is under way. */
	settle() {
		if (this.#hold === undefined || this.#closed || this.#strict > 0 || this.#acquiring !== undefined) return;
		if (!this.#owner.link().core.alive || this.#owner.link().call('acting', []) === 1) return;
		const hold = this.#hold;
		this.#hold = undefined;
		// What the turn left is written before another page may act.
		this.#flush(hold);
		void this.#writing.finally(hold.release);
	}

	/**
	 * Whether an effect has to wait for the store.
	 *
	 * @param {Effect} effect
	 */
	holds(effect) {
		if (this.#strict === 0) return false;
		this.#held.push(effect);
		return true;
	}

	/**
	 * Forgets effects that waited and are not wanted any more.
	 *
	 * @param {number} op
	 * @param {number} id
	 */
	drop(op, id) {
		this.#held = this.#held.filter((held) => held.op !== op || held.id !== id);
	}

	/**
	 * Does a Persist effect.
	 *
	 * @param {boolean} strict
	 */
	persist(strict) {
		if (this.#closed) return;
		if (!strict) {
			this.#timer ??= unref(setTimeout(() => this.#flush(this.#hold), relaxedDelay));
			return;
		}
		this.#cancelTimer();
		this.#take();
		if (this.#keeper === undefined) return;
		this.#strict++;
		void this.#write(true, this.#hold, strictTimeout).then((result) => {
			this.#strict--;
			if (result === Written.refused) this.#yield();
			if (this.#strict > 0 || this.#closed) return;
			for (const effect of this.#held.splice(0)) this.#owner.perform(effect);
			this.settle();
		});
	}

	/**
	 * Another page has taken the right to act since: what this one was about to do
	 * is not done, and what the other does is shown.
	 */
	#yield() {
		const held = this.#held.splice(0);
		const hold = this.#hold;
		this.#hold = undefined;
		hold?.release();
		for (const { op, id } of held) if (op === Op.RunTool) this.#input('unstarted', [id]);
		this.#input('stop', [0, 0]);
		this.#cancelTimer();
		void this.#look();
	}

	/**
	 * Does a Claim effect.
	 *
	 * @param {Effect} effect
	 */
	async claim({ id, call, text, handler: attempt }) {
		const keeper = this.#keeper;
		const decision = text === 'approve' ? 'approve' : 'deny';
		let verdict = /** @type {number} */ (Verdict.Unclaimable);
		let word = '';
		if (keeper !== undefined) {
			const { storage, tabs } = keeper;
			const key = `${call} ${attempt}`;
			try {
				const standing = await storage.claim(this.#owner.chatId(), key, { page: tabs.page, decision, at: Date.now() });
				word = standing.decision;
				verdict = standing.page === tabs.page ? Verdict.Granted : await this.#verdict(standing);
			} catch {
				this.#tell(false);
				if (await tabs.claim(`${this.#owner.chatId()} ${key}`)) verdict = Verdict.Granted;
			}
		}
		this.#input('claimed', [id, verdict], [word]);
	}

	/** @param {import('./storage/port.js').Claim} standing of another page */
	async #verdict({ page, at }) {
		const alive = await /** @type {Keeper} */ (this.#keeper).tabs.isAlive(page);
		return (alive ?? Date.now() - at < busyTimeout) ? Verdict.Taken : Verdict.Dead;
	}

	/** Writes at once what was put off; the page may be about to go. */
	flush() {
		if (this.#timer !== undefined) this.#flush(this.#hold);
	}

	/** The core has died: what waited for it is over, the snapshot stays. */
	lose() {
		this.#held = [];
		this.#strict = 0;
		this.#cancelTimer();
	}

	/** Ends everything; what was put off is written. */
	close() {
		if (this.#closed) return;
		if (this.#keeper !== undefined) this.flush();
		this.#cancelTimer();
		this.#closed = true;
		this.#held = [];
		this.#stopHints();
		this.#heir?.abort();
		const hold = this.#hold;
		this.#hold = undefined;
		if (hold !== undefined) void this.#writing.finally(hold.release);
	}

	/** @param {Hold | undefined} hold */
	#flush(hold) {
		const due = this.#timer !== undefined;
		this.#cancelTimer();
		if (!due || this.#closed || !this.#take()) return;
		if (this.#keeper === undefined || hold === undefined) return;
		void this.#write(false, hold, strictTimeout).then((result) => {
			if (result === Written.refused && this.#hold === hold) this.#yield();
		});
	}

	#cancelTimer() {
		clearTimeout(this.#timer);
		this.#timer = undefined;
	}

	/** Takes a snapshot. */
	#take() {
		const link = this.#owner.link();
		if (!link.core.alive) return false;
		try {
			this.#snapshot = link.call('snapshot', []);
			return true;
		} catch {
			return false; // the session was closed meanwhile
		}
	}

	/**
	 * Writes the newest snapshot. Only a page that may act writes, so that no page
	 * that merely looks undoes what another has done.
	 *
	 * @param {boolean} strict
	 * @param {Hold | undefined} hold
	 * @param {number} patience ms
	 * @returns {Promise<number>} of Written; never rejects
	 */
	#write(strict, hold, patience) {
		const { storage, tabs } = /** @type {Keeper} */ (this.#keeper);
		const snapshot = /** @type {Uint8Array} */ (this.#snapshot);
		const chatId = this.#owner.chatId();
		const acting = this.#owner.link().call('acting', []) === 1;
		const fence = this.#fence;
		const preview = this.#preview();
		const write = this.#writing.then(async () => {
			if (hold === undefined || this.#readOnly || this.#keeper === undefined) return Written.off;
			const stored = { snapshot, fence, version: ++this.#version, page: tabs.page, acting, preview };
			if (!(await storage.write(chatId, stored, { strict }))) return Written.refused;
			tabs.tell({ kind: 'changed', chatId });
			return Written.stored;
		});
		this.#writing = write.catch(() => {});
		return within(patience, write).catch(() => Written.failed).then((result) => {
			if (result !== Written.off) this.#tell(result === Written.stored);
			return result;
		});
	}

	/** What the next page shows until its core is there; a chat is kept without it too. */
	#preview() {
		try {
			return displayOf(this.#owner.lastMessages(displayMessages));
		} catch {
			return undefined;
		}
	}

	/** Shows what is stored, when it is newer than what is shown. */
	async #look() {
		const keeper = this.#keeper;
		if (keeper === undefined || this.#closed || this.#waitsToAct) return;
		const chatId = this.#owner.chatId();
		/** @type {Stored | undefined} */
		let stored;
		try {
			stored = await within(strictTimeout, keeper.storage.read(chatId));
		} catch {
			this.#tell(false);
			return;
		}
		const newer = () => !this.#waitsToAct && stored !== undefined && stored.version > this.#version && stored.page !== keeper.tabs.page;
		if (stored === undefined || !newer()) return;
		const alive = this.#hold === undefined && !(await this.#mayGoOn(stored));
		if (this.#closed || !newer()) return;
		if (this.#adopt(stored, alive)) this.#version = stored.version;
		if (alive) this.#await();
		else this.settle();
	}

	/**
	 * Whether this page may go on where another one was: it is dead or done, and
	 * this page has got the right to act.
	 *
	 * @param {Stored} stored
	 */
	async #mayGoOn({ acting, page }) {
		const { storage, tabs } = /** @type {Keeper} */ (this.#keeper);
		if (acting && (await tabs.isAlive(page)) !== false) return false;
		const hold = await tabs.act(this.#owner.chatId());
		if (hold === undefined) return false;
		if (this.#hold !== undefined || this.#closed || this.#waitsToAct) {
			hold.release();
			return this.#hold !== undefined;
		}
		this.#hold = hold;
		try {
			this.#fence = await within(strictTimeout, storage.nextFence(this.#owner.chatId()));
		} catch {
			this.#tell(false);
		}
		return true;
	}

	/**
	 * @param {Stored} stored
	 * @param {boolean} alive whether the page that wrote it goes on acting
	 */
	#adopt(stored, alive) {
		const link = this.#owner.link();
		if (!link.core.alive) return false;
		try {
			link.call('adopt', [alive ? 1 : 0], [stored.snapshot]);
			this.#snapshot = stored.snapshot;
			this.#cancelTimer(); // what was just read need not be written again
			return true;
		} catch (error) {
			const { code } = /** @type {SvedaError} */ (error);
			if (code === 'busy' || code === 'closed') return false;
			void this.#unreadable(stored, /** @type {SvedaError} */ (error));
			return true;
		}
	}

	/**
	 * Stored bytes are no chat that this package can read. They are kept; the
	 * chat goes on in memory.
	 *
	 * @param {Stored} stored
	 * @param {SvedaError} error
	 */
	async #unreadable(stored, error) {
		if (error.code === 'snapshot-newer') {
			this.#readOnly = true; // another tab has a newer package and needs it
			this.#tell(this.#durable, true);
		} else {
			await this.#keeper?.storage.setAside(this.#owner.chatId(), stored.snapshot, error.code).catch(() => this.#tell(false));
		}
		this.#owner.failed(error);
	}

	/** Waits until the page that acts is done or dead, and then goes on from there. */
	#await() {
		if (this.#heir !== undefined || this.#hold !== undefined) return;
		const { tabs } = /** @type {Keeper} */ (this.#keeper);
		const abort = (this.#heir = new AbortController());
		void tabs.succeed(this.#owner.chatId(), abort.signal).then(async (hold) => {
			if (this.#heir === abort) this.#heir = undefined;
			if (hold === undefined) return;
			if (this.#hold !== undefined || this.#closed || this.#waitsToAct) {
				hold.release();
				return;
			}
			await this.#own(hold);
			this.#input('takeOver', []);
			this.settle();
		});
	}

	/** Everything was cleared: nothing of this chat is stored from now on. */
	#forget() {
		this.#keeper = undefined;
		this.#stopHints();
		this.#heir?.abort();
		this.#hold?.release();
		this.#hold = undefined;
		this.#tell(false);
	}

	/**
	 * @param {boolean} durable
	 * @param {boolean} [always]
	 */
	#tell(durable, always = false) {
		if (durable === this.#durable && !always) return;
		this.#durable = durable;
		if (!this.#closed) this.#owner.told(this.durable);
	}

	/**
	 * @param {string} name
	 * @param {readonly number[]} numbers
	 * @param {readonly string[]} [fields]
	 */
	#input(name, numbers, fields) {
		const link = this.#owner.link();
		if (!this.#closed && link.core.alive) link.call(name, numbers, fields);
	}
}

/**
 * A timer that does not keep Node alive.
 *
 * @param {any} timer
 */
function unref(timer) {
	timer.unref?.();
	return timer;
}
