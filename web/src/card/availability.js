/**
 * Whether a call may be confirmed at all. Denying is never asked here: it
 * always works (U53).
 *
 * @module
 */

/** @import { Arguments } from './types.js' */

/**
 * Why Confirm is unavailable. The codes are keys of the texts.
 *
 * @typedef {'duplicateKey'|'tooLarge'|'tooDeep'|'tooMany'|'malformed'
 *   |'framed'|'covered'|'unreadable'|'hidden'|'drawing'|'checking'|'unverified'} Unavailable
 */

/** @type {Record<string, Unavailable>} */
const blockedReasons = {
	'duplicate-key': 'duplicateKey',
	'too-large': 'tooLarge',
	'too-deep': 'tooDeep',
	'too-many': 'tooMany',
	malformed: 'malformed',
};

/**
 * @param {Pick<Arguments, 'blocked' | 'hidden'>} args
 * @param {object} surroundings
 * @param {'ok'|'framed'|'covered'} surroundings.frame
 * @param {boolean} surroundings.readable
 * @param {boolean} surroundings.drawn every row that was handed over is on the page
 * @param {'ok'|'checking'|'unverified'} surroundings.fresh
 * @returns {Unavailable | null} the first reason, those that never pass before those that may
 */
export function unavailable(args, { frame, readable, drawn, fresh }) {
	// A word that we do not know is a reason that we do not know (S46).
	if (args.blocked) return blockedReasons[args.blocked] ?? 'malformed';
	if (frame !== 'ok') return frame;
	if (!readable) return 'unreadable';
	if (isHidden(args)) return 'hidden';
	if (!drawn) return 'drawing';
	if (fresh !== 'ok') return fresh;
	return null;
}

/** @param {Pick<Arguments, 'hidden'>} args */
export function isHidden(args) {
	return args.hidden.rows > 0 || args.hidden.characters > 0;
}

/** Reasons that can never pass: the whole card says so. */
export const permanent = new Set(Object.values(blockedReasons));
