/**
 * The reason of a denial: plain text, bounded, without characters that hide
 * or reorder (U55).
 *
 * @module
 */

/** In code points. */
export const maxReason = 500;

const lineBreaks = /[\r\n\u0085\u2028\u2029\t\v\f]+/gu;
const removed = /[\p{Cc}\p{Bidi_Control}\p{Cs}]/gu;

/**
 * What is sent. White space around it goes; line breaks become single spaces,
 * so that words do not run together.
 *
 * @param {string} text
 */
export function sanitizeReason(text) {
	const clean = text.replace(lineBreaks, ' ').replace(removed, '');
	return [...clean].slice(0, maxReason).join('').trim();
}

/**
 * Cuts what was typed to the limit, in whole code points.
 *
 * @param {string} text
 */
export function limitReason(text) {
	if (text.length <= maxReason) return text; // never more code points than code units
	const points = [...text];
	return points.length <= maxReason ? text : points.slice(0, maxReason).join('');
}

/** @param {string} text */
export function countReason(text) {
	let count = 0;
	for (const _ of text) count++;
	return count;
}
