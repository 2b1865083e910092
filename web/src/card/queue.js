/**
 * Which call the card asks about: one at a time, first come first asked (U58).
 *
 * @module
 */

/** @import { Confirmation } from './types.js' */

/**
 * @param {string | null} liveId the call that the card asks about now
 * @param {readonly Confirmation[]} confirmations in order of arrival
 * @returns {{live: Confirmation | null, waiting: number, lines: Confirmation[]}}
 *   `live` is asked about, `waiting` counts the others that wait, `lines` are
 *   drawn as one line of text each
 */
export function advance(liveId, confirmations) {
	const pending = confirmations.filter((c) => c.state === 'pending');
	const current = confirmations.find((c) => c.toolCallId === liveId);
	let live = current ?? null;
	// A decision on its way keeps its card only while nobody else waits: a
	// batch is sent when its last call is answered, so it must be able to move on.
	if (!live || !(live.state === 'pending' || (live.state === 'deciding' && pending.length === 0))) {
		live = pending[0] ?? confirmations.find((c) => c.state === 'deciding') ?? null;
	}
	return {
		live,
		waiting: pending.filter((c) => c !== live).length,
		lines: confirmations.filter((c) => c !== live && (c.state !== 'pending' || c.error !== undefined)),
	};
}

/**
 * The digest of what a call would run; null when its arguments cannot be had.
 *
 * @param {Confirmation} confirmation
 * @returns {string | null}
 */
export function digestOf(confirmation) {
	try {
		return confirmation.arguments.digest;
	} catch {
		return null; // a session that is closed, or a getter that throws
	}
}

/**
 * True when two states of one call can share a card: the same question about
 * the same bytes.
 *
 * @param {Confirmation} a
 * @param {Confirmation} b
 */
export function sameQuestion(a, b) {
	return a.toolCallId === b.toolCallId && a.toolName === b.toolName && a.target === b.target && digestOf(a) === digestOf(b);
}
