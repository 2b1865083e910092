/**
 * Saying things in one language: placeholders, plural forms, numbers.
 *
 * @module
 */

import { textsFor } from './texts/index.js';

/** @import { Catalog } from './texts/en.js' */

/** @typedef {keyof Catalog} TextKey */
/** @typedef {Record<string, string | number>} Params */

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur', 'ps', 'sd', 'ug', 'yi', 'dv', 'ckb']);

export class Speaker {
	#texts;
	#plurals;
	#numbers;

	/** @param {string | null | undefined} tag the language that is asked for */
	constructor(tag) {
		const { lang, texts } = textsFor(tag);
		this.#texts = texts;
		this.#plurals = new Intl.PluralRules(lang);
		this.#numbers = new Intl.NumberFormat(lang);
		/** @readonly the language that is spoken */
		this.lang = lang;
		/** @readonly @type {'ltr' | 'rtl'} */
		this.dir = rightToLeft.has(lang.split('-')[0].toLowerCase()) ? 'rtl' : 'ltr';
	}

	/**
	 * @param {TextKey} key
	 * @param {Params} [params] numbers are written as the language writes them
	 */
	say(key, params) {
		const text = this.#texts[key];
		return this.#fill(typeof text === 'string' ? text : this.#form(text, params?.n), params);
	}

	/**
	 * The text around one placeholder, for a caller that puts a node there.
	 *
	 * @param {TextKey} key
	 * @param {string} name
	 * @param {Params} [params] the other placeholders
	 * @returns {[before: string, after: string]}
	 */
	around(key, name, params) {
		const text = this.#texts[key];
		const [before, after = ''] = (typeof text === 'string' ? text : this.#form(text, params?.n)).split(`{${name}}`);
		return [this.#fill(before, params), this.#fill(after, params)];
	}

	/** @param {number} n */
	number(n) {
		return this.#numbers.format(n);
	}

	/**
	 * @param {Partial<Record<Intl.LDMLPluralRule, string>>} forms
	 * @param {string | number | undefined} n
	 */
	#form(forms, n) {
		return forms[this.#plurals.select(Number(n))] ?? forms.other ?? '';
	}

	/**
	 * @param {string} text
	 * @param {Params} [params]
	 */
	#fill(text, params) {
		if (!params) return text;
		return text.replace(/\{([a-z]+)\}/g, (placeholder, name) => {
			const value = params[name];
			if (value === undefined) return placeholder;
			return typeof value === 'number' ? this.number(value) : value;
		});
	}
}
