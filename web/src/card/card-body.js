/**
 * The part of a card that says what would run: where, what to look at
 * closely, the arguments. All of it comes from our catalogs and from the call
 * itself (S2); the one sentence of the model, if the page wants it at all, is
 * quoted and says whose it is.
 *
 * @module
 */

import { element, show } from './dom.js';
import { isHidden } from './availability.js';
import { ArgumentsView } from './arguments-view.js';
import { drawTokens, isolated, nameTokens, proseTokens } from './tokens.js';
import { noteKeys } from './warnings.js';

/**
 * @import { Arguments, Confirmation, Token } from './types.js'
 * @import { Speaker } from './locale.js'
 * @import { Speech } from './speech.js'
 */

/** Longest name in the heading, in characters; a longer one stands in full in the body. */
export const headingName = 96;

/** Keys in the overview before they are counted (U25). */
const overviewKeys = 20;

/** Different special characters that the notes name. */
const namedCharacters = 8;

/** Longest sentence of the model, in code points. */
const quoteLength = 600;

/** Earlier requests for the same tool from which the card says so (S49). */
export const repeatsShown = 2;

/**
 * @param {Pick<Confirmation, 'toolName' | 'toolNameTokens'>} confirmation
 * @returns {Token[]}
 */
export function toolTokens(confirmation) {
	return confirmation.toolNameTokens ?? nameTokens(confirmation.toolName);
}

export class CardBody {
	/** @readonly */
	node = element('div', 'body');
	/** @readonly what the card describes itself with, besides its heading */
	prompt = element('p', 'prompt', { id: 'prompt' });
	#overview = element('p', 'overview');
	#speech;
	#confirmation;
	#ports;
	/** @type {ArgumentsView} */
	#args;
	/** @type {Arguments} */
	#shown;
	/** @type {ResizeObserver} */
	#resize;

	/**
	 * @param {Confirmation} confirmation
	 * @param {Speech} speech
	 * @param {object} ports
	 * @param {boolean} ports.modelReason show the sentence of the model
	 * @param {(task: () => void) => void} ports.schedule
	 * @param {() => void} ports.onDrawn
	 */
	constructor(confirmation, speech, ports) {
		this.#speech = speech;
		this.#confirmation = confirmation;
		this.#ports = ports;
		this.#shown = confirmation.arguments;
		this.#build();
		this.#args = this.#drawArguments();
		this.node.append(this.#args.node);
		this.node.addEventListener('blur', () => this.measure());
		// In the next frame: what follows may change sizes itself.
		this.#resize = new ResizeObserver(() => requestAnimationFrame(() => this.measure()));
		this.#resize.observe(this.node);
		this.#resize.observe(this.#args.node);
	}

	/** The arguments as they are on the page now. */
	get shown() {
		return this.#shown;
	}

	/** A handler of this page gets what `JSON.parse` makes of a number. */
	get #rounds() {
		return this.#confirmation.target === 'frontend';
	}

	get drawn() {
		return this.#args.drawn;
	}

	/**
	 * Draws all that the hard limits allow, in place of what was there (U28).
	 *
	 * @param {Arguments} all
	 */
	showAll(all) {
		const old = this.#args;
		this.#shown = all;
		this.#args = this.#drawArguments();
		old.stop();
		old.node.replaceWith(this.#args.node);
		this.#resize.unobserve(old.node);
		this.#resize.observe(this.#args.node);
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#args.speak(speaker);
	}

	dispose() {
		this.#resize.disconnect();
		this.#args.stop();
	}

	#drawArguments() {
		return new ArgumentsView(this.#shown, this.#speech.speaker, { ...this.#ports, rounds: this.#rounds });
	}

	#build() {
		const { node } = this;
		const speech = this.#speech;
		const { target, toolset, alreadyAsked = 0, modelReason } = this.#confirmation;
		const where = element('p', 'where');
		const place = element('span');
		speech.text(place, target === 'frontend' ? 'whereFrontend' : 'whereBackend');
		where.append(place);
		if (toolset) where.append(this.#named('toolset', 'toolset', nameTokens(toolset)));
		node.append(where, this.prompt);
		if (nameLength(toolTokens(this.#confirmation)) > headingName) {
			node.append(element('p', 'full-name', {}, isolated('', toolTokens(this.#confirmation), speech)));
		}
		if (alreadyAsked >= repeatsShown) {
			const repeated = element('p', 'repeated');
			speech.text(repeated, 'repeated', { n: alreadyAsked + 1 });
			node.append(repeated);
		}
		this.#notes();
		this.#buildOverview();
		if (modelReason && this.#ports.modelReason) this.#quote(modelReason);
	}

	/**
	 * A phrase around one name that is isolated from it.
	 *
	 * @param {'toolset'} key
	 * @param {string} placeholder
	 * @param {Token[]} tokens
	 */
	#named(key, placeholder, tokens) {
		const before = document.createTextNode('');
		const after = document.createTextNode('');
		this.#speech.run(before, (speaker) => speaker.around(key, placeholder)[0]);
		this.#speech.run(after, (speaker) => speaker.around(key, placeholder)[1]);
		return element('span', '', {}, before, isolated('', tokens, this.#speech), after);
	}

	#notes() {
		const unusual = toolTokens(this.#confirmation).some((token) => token.t !== 'text');
		const keys = noteKeys(this.#shown, unusual, this.#rounds);
		if (keys.length === 0) return;
		const title = element('p', 'notes-title');
		const words = element('span');
		this.#speech.text(words, 'warningsTitle');
		title.append(warningSign(), words);
		const list = element('ul', '', { role: 'list' });
		for (const key of keys) {
			const item = element('li');
			this.#speech.text(item, key);
			list.append(item);
		}
		const named = specialCharacters(this.#shown, toolTokens(this.#confirmation));
		if (named.size > 0) {
			const item = element('li', 'legend', { dir: 'ltr', lang: 'en' });
			const texts = [...named].slice(0, namedCharacters).map(([cp, name]) => `${cp} ${name}`);
			item.append(texts.join(', '), named.size > namedCharacters ? ', …' : '');
			list.append(item);
		}
		this.node.append(element('div', 'notes', {}, title, list));
	}

	/** Every top-level key in view at once, while the arguments are longer than the room (U25). */
	#buildOverview() {
		const top = this.#shown.rows.filter((row) => row.depth === 0 && row.key !== null);
		if (top.length < 2) return;
		const before = document.createTextNode('');
		const after = document.createTextNode('');
		this.#speech.run(before, (speaker) => speaker.around('overview', 'keys')[0]);
		this.#speech.run(after, (speaker) => speaker.around('overview', 'keys')[1]);
		this.#overview.append(before);
		for (const [index, row] of top.slice(0, overviewKeys).entries()) {
			if (index > 0) this.#overview.append(' · ');
			const key = element('bdi', 'key', { dir: 'ltr' });
			drawTokens(key, shortened(row.key ?? []), this.#speech);
			this.#overview.append(key);
		}
		this.#overview.append(after);
		if (top.length > overviewKeys) {
			const more = element('span');
			this.#speech.text(more, 'overviewMore', { n: top.length - overviewKeys });
			this.#overview.append(' ', more);
		}
		this.#overview.hidden = true;
		this.node.append(this.#overview);
	}

	/** @param {string} text */
	#quote(text) {
		const { tokens, rest } = proseTokens(text, quoteLength);
		const label = element('p');
		this.#speech.text(label, 'modelReasonLabel');
		const quote = element('blockquote');
		quote.append(element('bdi', '', { dir: 'auto' }));
		drawTokens(/** @type {Element} */ (quote.firstChild), tokens, this.#speech);
		if (rest > 0) {
			const cut = element('span', 'chip');
			this.#speech.text(cut, 'cutHere', { n: rest });
			quote.append(' ', cut);
		}
		this.node.append(element('div', 'quote', {}, label, quote));
	}

	/**
	 * A named region that the keyboard reaches, exactly while it overflows; the
	 * focus that is in it is never pulled from under it (U27).
	 */
	measure() {
		const { node } = this;
		const overflows = node.scrollHeight > node.clientHeight + 1;
		show(this.#overview, overflows || (!this.#overview.hidden && isHidden(this.#shown)));
		if (overflows) {
			node.tabIndex = 0;
			node.setAttribute('role', 'region');
			node.setAttribute('aria-labelledby', 'args-label');
		} else if (/** @type {ShadowRoot} */ (node.getRootNode()).activeElement !== node) {
			node.removeAttribute('tabindex');
			node.removeAttribute('role');
			node.removeAttribute('aria-labelledby');
		}
	}
}

/** @param {readonly Token[]} tokens */
function nameLength(tokens) {
	let length = 0;
	for (const token of tokens) length += token.t === 'text' ? token.s.length : 6;
	return length;
}

/**
 * The beginning of a long name.
 *
 * @param {readonly Token[]} tokens
 * @param {number} [limit] in characters
 * @returns {Token[]}
 */
export function shortened(tokens, limit = 40) {
	/** @type {Token[]} */
	const out = [];
	let room = limit;
	for (const token of tokens) {
		if (room <= 0) {
			out.push({ t: 'text', s: '…' });
			break;
		}
		if (token.t !== 'text') {
			out.push(token);
			room -= 6;
		} else if (token.s.length <= room) {
			out.push(token);
			room -= token.s.length;
		} else {
			out.push({ t: 'text', s: `${[...token.s].slice(0, room).join('')}…` });
			break;
		}
	}
	return out;
}

/**
 * The special characters of a call with their names.
 *
 * @param {Arguments} args
 * @param {readonly Token[]} name
 */
function specialCharacters(args, name) {
	/** @type {Map<string, string>} */
	const found = new Map();
	const add = (/** @type {readonly Token[] | null | undefined} */ tokens) => {
		for (const token of tokens ?? []) {
			if (token.t === 'char' && token.name) found.set(token.cp, token.name);
		}
	};
	add(name);
	for (const row of args.rows) {
		if (!row.warnings?.length) continue;
		add(row.key);
		add(row.tokens);
	}
	return found;
}

/** A triangle with a stroke and a dot: a sign that needs no color (U38). */
export function warningSign() {
	const space = 'http://www.w3.org/2000/svg';
	const svg = document.createElementNS(space, 'svg');
	svg.setAttribute('class', 'sign');
	svg.setAttribute('viewBox', '0 0 16 16');
	svg.setAttribute('aria-hidden', 'true');
	const path = document.createElementNS(space, 'path');
	path.setAttribute('d', 'M8 2 15 14H1ZM8 6.5V10M8 12v.6');
	path.setAttribute('stroke-width', '1.5');
	path.setAttribute('stroke-linejoin', 'round');
	path.setAttribute('stroke-linecap', 'round');
	svg.append(path);
	return svg;
}
