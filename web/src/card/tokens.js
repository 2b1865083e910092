/**
 * Tokens to nodes: ordinary text stays text, what is invisible becomes a label
 * that can be seen (S5), a run of white space becomes its count (U29).
 *
 * @module
 */

import { element } from './dom.js';

/**
 * @import { Token } from './types.js'
 * @import { Speaker } from './locale.js'
 * @import { Speech } from './speech.js'
 */

/** @type {Record<string, 'nameSpace'|'nameTab'|'nameNewline'|'nameReturn'|'nameNoBreakSpace'|'nameIdeographicSpace'>} */
const spaceNames = {
	'U+0020': 'nameSpace',
	'U+0009': 'nameTab',
	'U+000A': 'nameNewline',
	'U+000D': 'nameReturn',
	'U+00A0': 'nameNoBreakSpace',
	'U+3000': 'nameIdeographicSpace',
	'U+000D U+000A': 'nameNewline',
};

/**
 * @param {Node} parent
 * @param {readonly Token[]} tokens
 * @param {Speech} speech
 */
export function drawTokens(parent, tokens, speech) {
	for (const token of tokens) {
		if (token.t === 'text') {
			parent.appendChild(document.createTextNode(token.s));
			continue;
		}
		const chip = document.createElement('span');
		chip.className = `chip ${token.t}`;
		if ('name' in token && token.name) chip.title = token.name;
		if (token.t === 'char') chip.textContent = token.cp;
		else speech.run(chip, (speaker) => chipText(token, speaker));
		parent.appendChild(chip);
	}
}

/**
 * @param {Exclude<Token, {t: 'text'}>} token
 * @param {Speaker} speaker
 */
function chipText(token, speaker) {
	switch (token.t) {
		case 'char': return token.cp;
		case 'space': {
			const name = spaceNames[token.cp];
			return speaker.say('charRun', { n: token.count, name: name ? speaker.say(name) : token.cp });
		}
		case 'ascii': return speaker.say('asciiForm', { ascii: token.s });
		default: return '\ufffd'; // a token of a kind that we do not know stays visible
	}
}

/**
 * The same without nodes, for announcements and names.
 *
 * @param {readonly Token[]} tokens
 * @param {Speaker} speaker
 */
export function tokensToText(tokens, speaker) {
	return tokens.map((token) => (token.t === 'text' ? token.s : `[${chipText(token, speaker)}]`)).join('');
}

/** What a tool name may consist of without being pointed at (S8). */
const plainName = /^[A-Za-z0-9_.:/-]+$/;

/**
 * Tokens of a name that came without any: everything unusual becomes a label.
 *
 * @param {string} name
 * @returns {Token[]}
 */
export function nameTokens(name) {
	/** @type {Token[]} */
	const tokens = [];
	for (const char of name) {
		if (plainName.test(char)) {
			const last = tokens.at(-1);
			if (last?.t === 'text') last.s += char;
			else tokens.push({ t: 'text', s: char });
		} else {
			tokens.push({ t: 'char', cp: codePoint(char) });
		}
	}
	return tokens;
}

/**
 * Tokens of a sentence of foreign origin: letters of every script stay, what
 * cannot be seen becomes a label.
 *
 * @param {string} text
 * @param {number} limit in code points; what is beyond is counted, not dropped silently
 * @returns {{tokens: Token[], rest: number}}
 */
export function proseTokens(text, limit) {
	const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
	/** @type {Token[]} */
	const tokens = [];
	let count = 0;
	let rest = 0;
	for (const char of text) {
		if (++count > limit) {
			rest++;
		} else if (unseen.test(char)) {
			tokens.push({ t: 'char', cp: codePoint(char) });
		} else {
			const last = tokens.at(-1);
			if (last?.t === 'text') last.s += char;
			else tokens.push({ t: 'text', s: char });
		}
	}
	return { tokens, rest };
}

/** @param {string} char */
function codePoint(char) {
	return `U+${(char.codePointAt(0) ?? 0xfffd).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * A piece of text that nothing around it can reorder (U46).
 *
 * @param {string} className
 * @param {readonly Token[]} tokens
 * @param {Speech} speech
 */
export function isolated(className, tokens, speech) {
	const node = element('bdi', className, { dir: 'ltr' });
	drawTokens(node, tokens, speech);
	return node;
}
