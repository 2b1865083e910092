/**
 * Draws the rows of the arguments. Rows come from Go, in source order and with
 * exact lexemes; here they become text nodes, a slice at a time, so that large
 * arguments never hold up the page (U32). Until the last row is on the page
 * the view is not `drawn`, and nothing can be confirmed.
 *
 * @module
 */

import { element } from './dom.js';
import { Speech } from './speech.js';
import { deepest } from './styles.js';
import { drawTokens } from './tokens.js';
import { rowWarnings } from './warnings.js';

/**
 * @import { Arguments, Row, Token } from './types.js'
 * @import { Params, Speaker, TextKey } from './locale.js'
 */

/** Script time of one slice, in milliseconds. */
const slice = 8;

/** Rows in one block; of a long list, blocks off the screen cost no layout. */
const blockRows = 60;
const longList = 600;

/** Characters in one piece of a long value, for the same reason. */
const pieceLength = 8192;

export class ArgumentsView {
	/** @readonly */
	node = element('div', 'args', { dir: 'ltr' });
	#list = element('div', 'rows', { role: 'list' });
	#rows;
	#next = 0;
	#speech;
	#schedule;
	#onDrawn;
	#stopped = false;

	/**
	 * @param {Arguments} args
	 * @param {Speaker} speaker
	 * @param {object} ports
	 * @param {(task: () => void) => void} ports.schedule runs a task later, with the page in between
	 * @param {() => void} ports.onDrawn
	 */
	constructor(args, speaker, { schedule, onDrawn }) {
		this.#rows = args.rows;
		this.#speech = new Speech(speaker);
		this.#schedule = schedule;
		this.#onDrawn = onDrawn;
		if (args.rows.length === 0) {
			this.node.append(words('p', 'none', 'noArguments', {}, this.#speech));
		} else {
			this.#list.classList.toggle('long', args.rows.length > longList);
			this.node.append(this.#list);
		}
		this.#slice();
	}

	/** Every row is on the page. */
	get drawn() {
		return this.#next >= this.#rows.length;
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#speech.change(speaker);
	}

	/** Gives up drawing; the view will never be `drawn`. */
	stop() {
		this.#stopped = true;
	}

	#slice() {
		const until = performance.now() + slice;
		while (!this.drawn && performance.now() < until) {
			const block = element('div', 'block');
			const end = Math.min(this.#rows.length, this.#next + blockRows);
			for (let i = this.#next; i < end; i++) block.append(drawRow(this.#rows[i], this.#speech));
			this.#list.append(block);
			this.#next = end;
		}
		if (!this.drawn) this.#schedule(() => this.#continue());
	}

	#continue() {
		if (this.#stopped) return;
		this.#slice();
		if (this.drawn) this.#onDrawn();
	}
}

/**
 * @param {Row} row
 * @param {Speech} speech
 */
export function drawRow(row, speech) {
	const container = row.kind === 'object' || row.kind === 'array';
	const named = row.key !== null || row.index !== null;
	const indent = Math.min(row.depth, deepest);
	const node = element('div', `row d${indent}${container ? ' size' : named ? '' : ' scalar'}`, {
		role: 'listitem', 'aria-level': String(row.depth + 1),
	});
	if (named) {
		const key = element('bdi', 'key', { dir: 'ltr' });
		if (row.key === null) key.append(String(row.index));
		else if (row.key.length === 0) key.append(words('span', 'chip', 'emptyKey', {}, speech));
		else drawTokens(key, row.key, speech);
		if (row.depth > deepest) key.append(' ', words('span', 'chip', 'level', { n: row.depth + 1 }, speech));
		node.append(key);
	}
	node.append(container ? containerSize(row, speech) : drawScalar(row, speech));
	for (const key of rowWarnings(row)) {
		node.append(element('span', 'flag', {}, icon('!'), words('span', '', key, {}, speech)));
	}
	return node;
}

/**
 * @param {Row} row
 * @param {Speech} speech
 */
function containerSize(row, speech) {
	const n = row.size ?? 0;
	const [empty, some] = row.kind === 'object'
		? /** @type {const} */ (['emptyObject', 'objectSize']) : /** @type {const} */ (['emptyArray', 'arraySize']);
	return element('bdi', 'val size', { dir: 'ltr' }, words('span', '', n === 0 ? empty : some, { n }, speech));
}

/**
 * @param {Row} row
 * @param {Speech} speech
 */
function drawScalar(row, speech) {
	const tokens = row.tokens ?? [];
	const cut = row.hidden ?? 0;
	if (tokens.length === 0 && cut === 0) {
		return element('bdi', 'val empty', { dir: 'ltr' }, words('span', '', 'emptyText', {}, speech));
	}
	const value = element('bdi', `val ${row.kind}`, { dir: 'ltr' });
	if (lengthOf(tokens) <= 2 * pieceLength) drawTokens(value, tokens, speech);
	else for (const piece of pieces(tokens)) drawTokens(value.appendChild(element('span', 'piece')), piece, speech);
	if (cut > 0) value.append(' ', words('span', 'chip', 'cutHere', { n: cut }, speech));
	return value;
}

/** @param {readonly Token[]} tokens */
function lengthOf(tokens) {
	let length = 0;
	for (const token of tokens) length += token.t === 'text' ? token.s.length : 8;
	return length;
}

/**
 * Cuts a long value into pieces that are laid out each on their own. A cut
 * never falls inside a character, and falls behind a line break where there
 * is one near.
 *
 * @param {readonly Token[]} tokens
 * @returns {Generator<Token[]>}
 */
export function* pieces(tokens) {
	/** @type {Token[]} */
	let piece = [];
	let room = pieceLength;
	for (const token of tokens) {
		if (token.t !== 'text') {
			piece.push(token);
			room -= 8;
		} else {
			for (let text = token.s; text !== '';) {
				const cut = cutAt(text, room);
				piece.push({ t: 'text', s: text.slice(0, cut) });
				room -= cut;
				text = text.slice(cut);
				if (text !== '') {
					yield piece;
					piece = [];
					room = pieceLength;
				}
			}
		}
		if (room <= 0) {
			yield piece;
			piece = [];
			room = pieceLength;
		}
	}
	if (piece.length > 0) yield piece;
}

/**
 * @param {string} text
 * @param {number} room
 */
function cutAt(text, room) {
	if (text.length <= room) return text.length;
	const line = text.lastIndexOf('\n', room - 1);
	if (line >= room / 2) return line + 1;
	// Between two clusters: not inside a surrogate pair, before no combining mark.
	let cut = Math.max(1, room);
	while (cut < text.length && /[\udc00-\udfff\p{M}\u200d\ufe0e\ufe0f]/u.test(text[cut])) cut++;
	return cut;
}

/**
 * Words of ours inside the arguments, in the language of the card and its
 * direction.
 *
 * @template {'p' | 'span'} Name
 * @param {Name} name
 * @param {string} className
 * @param {TextKey} key
 * @param {Params} params
 * @param {Speech} speech
 */
function words(name, className, key, params, speech) {
	const node = element(name, className);
	speech.run(node, (speaker) => {
		node.lang = speaker.lang;
		node.dir = speaker.dir;
		return speaker.say(key, params);
	});
	return node;
}

/** @param {string} sign */
function icon(sign) {
	return element('span', 'chip', { 'aria-hidden': 'true' }, sign);
}
