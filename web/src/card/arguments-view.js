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

/** Rows in one block. In a long list, blocks off the screen cost no layout. */
const blockRows = 50;
const longList = 600;

/** Characters in one piece of a long value, and of a value whose pieces off the screen cost no layout. */
const pieceLength = 8192;
const hugeLength = 300_000;

/** Pieces in one slice: their layout takes longer than their script. */
const slicePieces = 8;

export class ArgumentsView {
	/** @readonly */
	node = element('div', 'args', { dir: 'ltr' });
	#list = element('div', 'rows', { role: 'list' });
	#speech;
	#schedule;
	#onDrawn;
	#rounds;
	#steps;
	#drawn = false;
	#stopped = false;

	/**
	 * @param {Arguments} args
	 * @param {Speaker} speaker
	 * @param {object} ports
	 * @param {(task: () => void) => void} ports.schedule runs a task later, with the page in between
	 * @param {() => void} ports.onDrawn
	 * @param {boolean} ports.rounds the tool gets JavaScript's numbers
	 */
	constructor(args, speaker, { schedule, onDrawn, rounds }) {
		this.#rounds = rounds;
		this.#speech = new Speech(speaker);
		this.#schedule = schedule;
		this.#onDrawn = onDrawn;
		if (args.rows.length === 0) this.node.append(words('p', 'none', 'noArguments', {}, this.#speech));
		else this.node.append(this.#list);
		this.#list.classList.toggle('long', args.rows.length > longList);
		this.#steps = this.#draw(args.rows);
		this.#slice();
	}

	/** Every row is on the page. */
	get drawn() {
		return this.#drawn;
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#speech.change(speaker);
	}

	/** Gives up drawing; the view will never be `drawn`. */
	stop() {
		this.#stopped = true;
	}

	/**
	 * Draws step by step: a block of rows, or a piece of a long value.
	 *
	 * @param {readonly Row[]} rows
	 */
	* #draw(rows) {
		for (let at = 0; at < rows.length;) {
			const block = element('div', 'block');
			let long = null;
			for (const end = Math.min(rows.length, at + blockRows); at < end && !long; at++) {
				const row = drawRow(rows[at], this.#speech, this.#rounds);
				block.append(row.node);
				if (row.rest) long = row;
			}
			this.#list.append(block);
			yield;
			for (const piece of long?.rest ?? []) {
				drawTokens(/** @type {Node} */ (long?.value).appendChild(element('span', 'piece')), piece, this.#speech);
				yield 'piece';
			}
		}
	}

	#slice() {
		const until = performance.now() + slice;
		let room = slicePieces;
		do {
			const { done, value } = this.#steps.next();
			this.#drawn = done === true;
			if (value === 'piece') room--;
		} while (!this.#drawn && room > 0 && performance.now() < until);
		if (!this.#drawn) this.#schedule(() => this.#continue());
	}

	#continue() {
		if (this.#stopped) return;
		this.#slice();
		if (this.#drawn) this.#onDrawn();
	}
}

/**
 * A row with nothing in it: copying it is quicker than making it.
 *
 * @type {HTMLElement | null}
 */
let blank = null;

/**
 * @param {Row} row
 * @param {Speech} speech
 * @param {boolean} rounds the tool gets JavaScript's numbers
 * @returns {{node: HTMLElement, value: HTMLElement, rest: Iterable<Token[]> | null}} `rest` are the
 *   pieces of a long value, which are still to be drawn
 */
export function drawRow(row, speech, rounds) {
	blank ??= element('div', 'row', { role: 'listitem' }, element('span', 'key'), element('span', 'val'));
	const node = /** @type {HTMLElement} */ (blank.cloneNode(true));
	const [key, value] = /** @type {[HTMLElement, HTMLElement]} */ (/** @type {unknown} */ (node.children));
	const container = row.kind === 'object' || row.kind === 'array';
	node.setAttribute('aria-level', String(row.depth + 1));
	if (row.depth > 0) node.classList.add(`d${Math.min(row.depth, deepest)}`);
	if (row.key === null && row.index === null) {
		key.remove();
		node.classList.add('scalar');
	} else {
		drawKey(key, row, speech);
	}
	value.classList.add(container ? 'size' : row.kind);
	if (container) {
		node.classList.add('size');
		value.append(containerSize(row, speech));
	}
	const rest = container ? null : drawScalar(value, row, speech);
	for (const warning of rowWarnings(row, rounds)) {
		node.append(element('span', 'flag', {}, icon('!'), words('span', '', warning, {}, speech)));
	}
	return { node, value, rest };
}

/**
 * @param {HTMLElement} key
 * @param {Row} row
 * @param {Speech} speech
 */
function drawKey(key, row, speech) {
	if (row.key === null) key.append(String(row.index));
	else if (row.key.length === 0) key.append(words('span', 'chip', 'emptyKey', {}, speech));
	else drawTokens(key, row.key, speech);
	if (row.depth > deepest) key.append(' ', words('span', 'chip', 'level', { n: row.depth + 1 }, speech));
}

/**
 * @param {Row} row
 * @param {Speech} speech
 */
function containerSize(row, speech) {
	const n = row.size ?? 0;
	const [empty, some] = row.kind === 'object'
		? /** @type {const} */ (['emptyObject', 'objectSize']) : /** @type {const} */ (['emptyArray', 'arraySize']);
	return words('span', '', n === 0 ? empty : some, { n }, speech);
}

/**
 * @param {HTMLElement} value
 * @param {Row} row
 * @param {Speech} speech
 * @returns {Iterable<Token[]> | null} what is too long to be drawn at once
 */
function drawScalar(value, row, speech) {
	const tokens = row.tokens ?? [];
	const cut = row.hidden ?? 0;
	if (tokens.length === 0 && cut === 0) {
		value.classList.add('empty');
		value.append(words('span', '', 'emptyText', {}, speech));
		return null;
	}
	const length = lengthOf(tokens);
	const long = length > 2 * pieceLength;
	if (length > hugeLength) value.classList.add('huge');
	if (!long) drawTokens(value, tokens, speech);
	const mark = cut > 0 ? words('span', 'chip', 'cutHere', { n: cut }, speech) : null;
	if (!long && mark) value.append(' ', mark);
	return long ? withMark(pieces(tokens), mark, value) : null;
}

/**
 * The pieces of a value, and behind the last the mark that it was cut.
 *
 * @param {Iterable<Token[]>} all
 * @param {HTMLElement | null} mark
 * @param {HTMLElement} value
 */
function* withMark(all, mark, value) {
	yield* all;
	if (mark) value.append(mark);
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
