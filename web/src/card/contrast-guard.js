/**
 * Holds the card readable whatever the theme variables say (U41). The
 * background is taken as the page gives it; a text, an edge or a focus ring
 * that cannot be told from it is replaced by black or white, whichever reads
 * better, and the console says which variables were overruled.
 *
 * @module
 */

import { blend, contrast, parseColor, readableOn, toCss } from './contrast.js';
import { element } from './dom.js';
import { unset } from './styles.js';
import { sources, tokens } from './theme.js';

/** @import { Rgba } from './contrast.js' */

const colors = tokens.filter((token) => token.kind === 'color').map((token) => token.name);

/** Bases under the backgrounds, as the style sheet has them: light, dark. */
const bases = {
	bg: [[255, 255, 255, 1], [28, 30, 34, 1]],
	'code-bg': [[255, 255, 255, 1], [16, 18, 22, 1]],
	'input-bg': [[255, 255, 255, 1], [16, 18, 22, 1]],
};

/** What must be told from what, and how well (WCAG 1.4.3, 1.4.11). */
const pairs = /** @type {const} */ ([
	['headline', 'bg', 4.5],
	['title', 'bg', 4.5],
	['muted', 'bg', 4.5],
	['danger', 'bg', 4.5],
	['warning', 'bg', 3],
	['focus', 'bg', 3],
]);

export class ContrastGuard {
	#probes = element('div', 'probes');
	/** @type {Map<string, HTMLElement>} */
	#probe = new Map();
	#sheet;
	#warned = '';

	/**
	 * @param {ShadowRoot} root whose cards it guards
	 * @param {CSSStyleSheet} sheet of this card alone, adopted after the shared one
	 */
	constructor(root, sheet) {
		this.#sheet = sheet;
		for (const name of [...colors, 'scheme']) {
			const node = element('i', `p-${name}`);
			this.#probe.set(name, node);
			this.#probes.append(node);
		}
		root.append(this.#probes);
	}

	/**
	 * Reads the theme and repairs what cannot be read.
	 */
	apply() {
		if (matchMedia('(forced-colors: active)').matches) {
			this.#set(new Map()); // the person's own colors win
			return;
		}
		const dark = isDark(this.#read('scheme'));
		/** @type {Record<string, Rgba | null>} */
		const read = {};
		for (const name of colors) read[name] = this.#read(name);
		const { values, repaired } = repair(read, dark);
		this.#set(values);
		this.#warn(repaired);
	}

	/**
	 * @param {string} name
	 * @returns {Rgba | null}
	 */
	#read(name) {
		const node = /** @type {HTMLElement} */ (this.#probe.get(name));
		const text = getComputedStyle(node).color;
		return text === unset ? null : parseColor(text);
	}

	/** @param {Map<string, string>} values */
	#set(values) {
		const rule = /** @type {CSSStyleRule} */ (this.#sheet.cssRules[0]);
		for (const name of [...rule.style]) {
			if (name.startsWith('--_') && name !== '--_room' && !values.has(name)) rule.style.removeProperty(name);
		}
		for (const [name, value] of values) {
			if (rule.style.getPropertyValue(name) !== value) rule.style.setProperty(name, value);
		}
	}

	/** @param {string[]} repaired names of tokens */
	#warn(repaired) {
		// A default that does not suit the page's background is no fault of the page.
		const style = getComputedStyle(this.#probes);
		const list = tokens.filter((token) => repaired.includes(token.name)
			&& sources(token).some((name) => style.getPropertyValue(name) !== '')).map((token) => token.name).join(', ');
		if (list === this.#warned) return;
		this.#warned = list;
		if (list) console.warn(`sveda-confirmation: theme colors without enough contrast were replaced: ${list}`);
	}
}

/** @param {Rgba | null} color of the scheme probe: black in dark schemes */
function isDark(color) {
	return color !== null && color[0] < 128;
}

/**
 * @param {Record<string, Rgba | null>} read computed colors by token name, null when unreadable
 * @param {boolean} dark
 * @returns {{values: Map<string, string>, repaired: string[]}} inner variables to set, and the
 *   names of the tokens that were overruled
 */
export function repair(read, dark) {
	/** @type {Map<string, string>} */
	const values = new Map();
	/** @type {string[]} */
	const repaired = [];
	const under = (/** @type {keyof typeof bases} */ name) => {
		const base = /** @type {Rgba} */ (bases[name][dark ? 1 : 0]);
		const color = read[name];
		// What cannot be read is not drawn either, so that the rest can be judged.
		if (!color) values.set(`--_${name}`, toCss(base));
		return color ? blend(color, base) : base;
	};
	const bg = under('bg');
	/** @type {Record<string, Rgba>} */
	const final = {};
	for (const [name, , least] of pairs) {
		const color = read[name];
		const seen = color ? blend(color, bg) : null;
		if (seen && contrast(seen, bg) >= least) {
			final[name] = seen;
		} else {
			final[name] = readableOn(bg);
			values.set(`--_${name}`, toCss(final[name]));
			repaired.push(name);
		}
	}
	fillAccent(read, bg, final, values, repaired);
	// Text on the inner surfaces is the card's text where that can be read.
	for (const [variable, surface] of /** @type {const} */ ([['--_code-fg', 'code-bg'], ['--_input-fg', 'input-bg']])) {
		const background = under(surface);
		if (contrast(final.title, background) < 7) values.set(variable, toCss(readableOn(background)));
	}
	return { values, repaired };
}

/**
 * @param {Record<string, Rgba | null>} read
 * @param {Rgba} bg
 * @param {Record<string, Rgba>} final
 * @param {Map<string, string>} values
 * @param {string[]} repaired
 */
function fillAccent(read, bg, final, values, repaired) {
	let accent = read.accent ? blend(read.accent, bg) : null;
	if (!accent) {
		accent = final.title;
		values.set('--_accent', toCss(accent));
		repaired.push('accent');
	} else if (read.accent && read.accent[3] < 1) {
		values.set('--_accent', toCss(accent));
	}
	const wanted = read['accent-fg'] ? blend(read['accent-fg'], accent) : null;
	let fg = wanted;
	if (!fg || contrast(fg, accent) < 4.5) {
		fg = readableOn(accent);
		values.set('--_accent-fg', toCss(fg));
		if (wanted) repaired.push('accent-fg');
	}
	const hover = read['accent-hover'] ? blend(read['accent-hover'], bg) : null;
	if (!hover || contrast(fg, hover) < 4.5) values.set('--_accent-hover', toCss(accent));
	if (contrast(accent, bg) < 3) values.set('--_confirm-edge', toCss(final.title));
}
