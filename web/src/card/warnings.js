/**
 * Warning codes of the arguments, in the words of the catalogs.
 *
 * @module
 */

import { isInexact } from '../numbers.js';

/**
 * @import { TextKey } from './locale.js'
 * @import { Arguments, Row, Token } from './types.js'
 */

/** @type {Record<string, TextKey>} */
const keys = {
	bidi: 'warnBidi',
	invisible: 'warnInvisible',
	'mixed-script': 'warnMixedScript',
	'non-ascii-host': 'warnHost',
	'duplicate-key': 'warnDuplicate',
	'keys-equal-after-nfc': 'warnSameKey',
	'prototype-key': 'warnPrototype',
};

/**
 * @param {string} code
 * @returns {TextKey} a code that we do not know is still a warning
 */
function rowWarning(code) {
	return keys[code] ?? 'warnOther';
}

/** What is a label in the row itself, and one line above all rows, needs no third word. */
const labelled = new Set(['bidi', 'invisible']);

/**
 * The warnings of one row: those that Go found, a value that was cut before it
 * came here, and a number that arrives as another one.
 *
 * @param {Row} row
 * @param {boolean} rounds the tool gets JavaScript's numbers
 * @returns {TextKey[]}
 */
export function rowWarnings(row, rounds) {
	const keys = (row.warnings ?? []).filter((code) => !labelled.has(code)).map(rowWarning);
	if (row.kind === 'string' && looksCut(row.tokens ?? [])) keys.push('warnTruncated');
	if (rounds && row.kind === 'number' && isInexact(textOf(row.tokens ?? []))) keys.push('warnRounded');
	return keys;
}

/**
 * The distinct warnings of a call, each once.
 *
 * @param {Arguments} args
 * @param {boolean} unusualName
 * @param {boolean} rounds the tool gets JavaScript's numbers (B095)
 * @returns {TextKey[]}
 */
export function noteKeys({ warnings, rows, raw, blocked }, unusualName, rounds) {
	/** @type {Set<TextKey>} */
	const notes = new Set();
	if (unusualName) notes.add('warnName');
	for (const { code } of warnings) notes.add(rowWarning(code));
	if (rows.some((row) => row.kind === 'string' && looksCut(row.tokens ?? []))) notes.add('warnTruncated');
	// Of all bytes, not of the rows: those that are not shown yet count too.
	if (rounds && blocked === null && isInexact(raw)) notes.add('warnRounded');
	return [...notes];
}

/** @param {readonly Token[]} tokens */
function textOf(tokens) {
	return tokens.map((token) => (token.t === 'text' ? token.s : '')).join('');
}

/** Marks that some middleware leaves where it cut a value (B143). */
const cutMark = /(\.\.\.|…)\s*[([<]?\s*(\+?\d[\d,.]*\s*(more\s*)?(chars?|characters|bytes|lines)|truncated|omitted)\b[^"]{0,20}$/i;

/**
 * Whether a value says of itself that it is not whole.
 *
 * @param {readonly Token[]} tokens
 */
export function looksCut(tokens) {
	const last = tokens.at(-1);
	if (last?.t !== 'text') return false;
	const end = last.s.charCodeAt(last.s.length - 1);
	// Ends in a letter or digit, as most values do: nothing to look for.
	if (end < 0x80 && /[0-9A-Z_a-z]/.test(String.fromCharCode(end)) && !last.s.endsWith('truncated') && !last.s.endsWith('omitted')) return false;
	return cutMark.test(last.s.slice(-80));
}
