/**
 * Warning codes of the arguments, in the words of the catalogs.
 *
 * @module
 */

/** @import { TextKey } from './locale.js' */

/** @type {Record<string, TextKey>} */
const keys = {
	bidi: 'warnBidi',
	invisible: 'warnInvisible',
	'mixed-script': 'warnMixedScript',
	'non-ascii-host': 'warnHost',
	'duplicate-key': 'warnDuplicate',
	'keys-equal-after-nfc': 'warnSameKey',
	'prototype-key': 'warnPrototype',
	truncated: 'warnTruncated',
};

/**
 * @param {string} code
 * @returns {TextKey} a code that we do not know is still a warning
 */
export function rowWarning(code) {
	return keys[code] ?? 'warnOther';
}

/**
 * The distinct warnings of a call, each once.
 *
 * @param {readonly (string | {code: string})[]} warnings
 * @param {boolean} unusualName
 * @returns {TextKey[]}
 */
export function noteKeys(warnings, unusualName) {
	/** @type {Set<TextKey>} */
	const notes = new Set();
	if (unusualName) notes.add('warnName');
	for (const warning of warnings) notes.add(rowWarning(typeof warning === 'string' ? warning : warning.code));
	return [...notes];
}
