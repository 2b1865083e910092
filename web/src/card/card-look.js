/**
 * How a card stands, in words: the look for style sheets and tests, and the
 * line that says why it cannot be confirmed yet.
 *
 * @module
 */

/**
 * @import { Confirmation, Step } from './types.js'
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
 * @param {Confirmation} confirmation
 * @returns {{key: TextKey, params?: Params} | null}
 */
export function statusOf({ reason, failed, sending }, confirmation) {
	if (sending) return { key: 'sending' };
	if (failed && reason === null) return failureText(confirmation);
	if (reason) return { key: reasonTexts[reason] };
	return null;
}

/**
 * Why the decision was not taken, as far as that is known. Of the error only
 * what can be a code is shown.
 *
 * @param {Confirmation} confirmation
 * @returns {{key: TextKey, params?: Params}}
 */
function failureText({ error, uncertain }) {
	const code = error?.code;
	if (!code || !/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(code)) return { key: uncertain ? 'uncertain' : 'failed' };
	return { key: uncertain ? 'uncertainWith' : 'failedWith', params: { code } };
}
