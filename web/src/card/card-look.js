/**
 * How a card stands, in words: the look for style sheets and tests, and the
 * line that says why it cannot be confirmed yet.
 *
 * @module
 */

/**
 * @import { Step } from './types.js'
 * @import { TextKey, Params } from './locale.js'
 * @import { Unavailable } from './availability.js'
 */

/** @typedef {'pending'|'protected'|'sending'|'failed'|'reason'|'grant'|'unavailable'} Look */

/** The words for each reason. @type {Record<Unavailable, TextKey>} */
export const reasonTexts = {
	duplicateKey: 'duplicateKey', tooLarge: 'tooLarge', tooDeep: 'tooDeep', tooMany: 'tooMany', malformed: 'malformed',
	framed: 'framed', covered: 'covered', unreadable: 'unreadable', hidden: 'hiddenFirst', drawing: 'drawing',
	checking: 'checking', unverified: 'unverified',
};

/**
 * @param {{reason: Unavailable | null, armed: boolean, failed: boolean, sending: boolean, step: Step}} state
 * @returns {Look}
 */
export function lookOf({ reason, armed, failed, sending, step }) {
	if (sending) return 'sending';
	if (step !== 'ask') return step;
	if (reason) return 'unavailable';
	if (failed) return 'failed';
	return armed ? 'pending' : 'protected';
}

/**
 * @param {{reason: Unavailable | null, failed: boolean, sending: boolean}} state
 * @param {string | undefined} code of the failure
 * @returns {{key: TextKey, params?: Params} | null}
 */
export function statusOf({ reason, failed, sending }, code) {
	if (sending) return { key: 'sending' };
	if (failed && reason === null) return failureText(code);
	if (reason) return { key: reasonTexts[reason] };
	return null;
}

/**
 * @param {string | undefined} code of an error; only what can be a code is shown
 * @returns {{key: TextKey, params?: Params}}
 */
function failureText(code) {
	if (code && /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(code)) return { key: 'failedWith', params: { code } };
	return { key: 'failed' };
}
