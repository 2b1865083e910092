/**
 * What a page of Asgard's protocol finds under that protocol's own names
 * (contract asgard, sections 3, 5 and 10). Rules live in Go; here are words and
 * views.
 *
 * @module
 */

/**
 * @import { Confirmation } from './confirmation.js'
 *
 * @typedef {object} RunStatus what holds the channel, where a run has a name and
 *   can be stopped on its own
 * @property {'user' | 'reset' | 'restore' | 'replay' | 'nudge' | null} kind null when nothing does
 * @property {'idle' | 'stopping' | 'force-stoppable'} stopPhase `force-stoppable`
 *   ten seconds after a stop whose run has not ended
 * @property {string} [requestId] the server's name of the run
 * @property {string} [traceId] the server's name of the response
 * @property {boolean} [resuming] the connection was cut; it is being resumed
 *
 * @typedef {object} ConsentQueue the batch that is asked, as Asgard's queue gives it
 * @property {Confirmation | null} pendingCall the call that is asked now
 * @property {number} currentIndex its place in the batch, from 1; 0 when nothing is asked
 * @property {number} totalCount all calls of the batch, those that are answered
 *   by themselves among them
 */

/** The words of a reply. */
export const ToolCallConsentResult = Object.freeze({
	ALLOW_ONCE: 'ALLOW_ONCE', ALLOW_ALWAYS: 'ALLOW_ALWAYS', DENY_ONCE: 'DENY_ONCE',
});

/** @type {RunStatus} */
export const idleRun = Object.freeze({ kind: null, stopPhase: 'idle' });

/**
 * The call that is asked now, and where the batch stands.
 *
 * @param {readonly Confirmation[]} confirmations
 * @returns {ConsentQueue}
 */
export function consentQueue(confirmations) {
	const waiting = confirmations.filter((c) => c.state === 'pending');
	if (waiting.length === 0) return { pendingCall: null, currentIndex: 0, totalCount: 0 };
	const first = waiting.reduce((a, b) => ((b.currentIndex ?? 0) < (a.currentIndex ?? 0) ? b : a));
	return { pendingCall: first, currentIndex: first.currentIndex ?? 1, totalCount: first.totalCount ?? waiting.length };
}

/**
 * The payload of a turn: a value, or a function that is called when the turn is
 * sent. When it throws, nothing has been taken yet.
 *
 * @param {unknown} payload
 * @returns {unknown}
 */
export function payloadOf(payload) {
	return typeof payload === 'function' ? payload() : payload;
}
