/**
 * The time that a card must have been visible and still before Confirm acts
 * (S21, S22). It holds no timer and reads no wall clock: it compares times
 * that it is given, all of one monotonic clock, in milliseconds.
 *
 * @module
 */

/** How long the card must have been visible and still. */
export const delay = 500;

/** How much early activations may add in all. */
export const maxExtension = 10_000;

export class Protection {
	#suspended = true;
	#started = 0;
	#armedAt = Infinity;

	/**
	 * Starts the delay again: the card moved, changed, came back into view.
	 *
	 * @param {number} now
	 */
	restart(now) {
		this.#started = now;
		this.#armedAt = now + delay;
	}

	/** The card is not in view; the delay starts when it is again. */
	suspend() {
		this.#suspended = true;
	}

	/** @param {number} now */
	resume(now) {
		if (!this.#suspended) return;
		this.#suspended = false;
		this.restart(now);
	}

	/**
	 * Somebody activated Confirm too early: wait on, but not for ever, so that
	 * a person who keeps pressing is not locked out.
	 *
	 * @param {number} now
	 */
	early(now) {
		this.#armedAt = Math.min(now + delay, this.#started + delay + maxExtension);
	}

	/** When Confirm acts, if nothing happens before; `Infinity` while out of view. */
	get armedAt() {
		return this.#suspended ? Infinity : this.#armedAt;
	}

	/**
	 * @param {number} startedAt when the press began that wants to confirm
	 */
	accepts(startedAt) {
		return startedAt >= this.armedAt;
	}
}
