/**
 * Decisions on their way to the session: at most one for each call, and what
 * became of those that did not get away.
 *
 * @module
 */

import { digestOf } from './queue.js';

/** @import { Confirmation, ConfirmationSession } from './types.js' */

export class Decisions {
	/** @type {Set<string>} */
	#sending = new Set();
	/** Codes of decisions that were not accepted, where the session does not say so itself. @type {Map<string, string>} */
	#failures = new Map();
	#emit;

	/** @param {(type: string, detail: Record<string, unknown>) => void} emit */
	constructor(emit) {
		this.#emit = emit;
	}

	/** Another session: nothing of the old one counts. */
	forget() {
		this.#sending.clear();
		this.#failures.clear();
	}

	/** @param {string} toolCallId */
	isSending(toolCallId) {
		return this.#sending.has(toolCallId);
	}

	/**
	 * The session's calls, with the failures that it does not know of.
	 *
	 * @param {readonly Confirmation[]} confirmations
	 * @returns {readonly Confirmation[]}
	 */
	withFailures(confirmations) {
		if (this.#failures.size === 0) return confirmations;
		return confirmations.map((confirmation) => {
			const code = this.#failures.get(confirmation.toolCallId);
			if (code === undefined || confirmation.state !== 'pending' || confirmation.error) return confirmation;
			// Not a copy of its values: reading the arguments may be dear, or fail.
			return Object.create(confirmation, { error: { value: { code }, enumerable: true } });
		});
	}

	/**
	 * Sends a decision. It carries the id, the word and the digest of what was
	 * shown; never arguments (S1).
	 *
	 * @param {ConfirmationSession | null} session without one the decision is an event only
	 * @param {Confirmation} confirmation
	 * @param {'approve'|'deny'} decision
	 * @param {{reason?: string, remember?: 'chat'}} options
	 * @param {() => void} changed called when something is to be drawn anew
	 */
	async send(session, confirmation, decision, options, changed) {
		const { toolCallId } = confirmation;
		if (this.#sending.has(toolCallId)) return;
		const about = { chatId: session?.chatId ?? '', toolCallId };
		const told = { ...about, decision, remember: options.remember ?? null };
		this.#failures.delete(toolCallId);
		if (!session) return this.#emit('sveda-decision', told);
		this.#sending.add(toolCallId); // before anything waits: a second press finds it
		const sent = startSending(session, confirmation, decision, options);
		this.#emit('sveda-decision', told);
		changed();
		try {
			await sent;
		} catch (error) {
			const code = codeOf(error);
			if (this.#sending.has(toolCallId)) this.#failures.set(toolCallId, code);
			this.#emit('sveda-decision-failed', { ...about, code });
		}
		if (this.#sending.delete(toolCallId)) changed();
	}
}

/**
 * @param {ConfirmationSession} session
 * @param {Confirmation} confirmation
 * @param {'approve'|'deny'} decision
 * @param {{reason?: string, remember?: 'chat'}} options
 * @returns {Promise<unknown>} rejects also where the session throws at once
 */
async function startSending(session, confirmation, decision, options) {
	const digest = digestOf(confirmation) ?? undefined; // denying works without (U53)
	return session.resolveToolConfirmation(confirmation.toolCallId, decision, { ...options, digest });
}

/** @param {unknown} error */
function codeOf(error) {
	const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
	return typeof code === 'string' ? code : 'unknown';
}
