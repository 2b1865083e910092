/**
 * The catalogs. A page adds one of its own with `registerTexts`.
 *
 * @module
 */

import { SvedaError } from '../../errors.js';
import { ar } from './ar.js';
import { en } from './en.js';
import { es } from './es.js';
import { ja } from './ja.js';
import { zhTW } from './zh-TW.js';

/** @import { Catalog } from './en.js' */

/** @type {Map<string, Catalog>} by lower-case language tag */
const catalogs = new Map([['en', en], ['es', es], ['zh-tw', zhTW], ['ja', ja], ['ar', ar]]);

/** Tags as they are written in `lang` attributes. @type {Map<string, string>} */
const written = new Map([['en', 'en'], ['es', 'es'], ['zh-tw', 'zh-TW'], ['ja', 'ja'], ['ar', 'ar']]);

/** @type {Set<() => void>} */
const listeners = new Set();

/**
 * Adds a language, or replaces one. The catalog must have exactly the keys of
 * the English one, each with text, and a form for each plural category of the
 * language; anything else is a `SvedaError` with code `invalid-texts` that
 * names what is wrong.
 *
 * @param {string} lang BCP 47 tag, such as `fr` or `pt-BR`
 * @param {Catalog} texts
 */
export function registerTexts(lang, texts) {
	const wrong = catalogFaults(lang, texts);
	if (wrong.length > 0) {
		throw new SvedaError('invalid-texts', `registering texts for "${lang}": ${wrong.join(', ')}`);
	}
	catalogs.set(lang.toLowerCase(), texts);
	written.set(lang.toLowerCase(), lang);
	for (const listener of listeners) listener();
}

/**
 * @param {string} lang
 * @param {Catalog} texts
 * @returns {string[]} empty when the catalog is complete
 */
export function catalogFaults(lang, texts) {
	let categories;
	try {
		categories = new Intl.PluralRules(lang).resolvedOptions().pluralCategories;
	} catch {
		return ['not a language tag'];
	}
	const faults = Object.keys(texts).filter((key) => !Object.hasOwn(en, key)).map((key) => `unknown key ${key}`);
	for (const [key, model] of Object.entries(en)) {
		const text = /** @type {Record<string, unknown>} */ (texts)[key];
		if (typeof model === 'string') {
			if (typeof text !== 'string' || text.trim() === '') faults.push(`no text for ${key}`);
			continue;
		}
		for (const category of categories) {
			const form = typeof text === 'object' && text !== null
				? /** @type {Record<string, unknown>} */ (text)[category] : undefined;
			if (typeof form !== 'string' || form.trim() === '') faults.push(`no text for ${key}.${category}`);
		}
	}
	return faults;
}

/**
 * The best catalog for a tag: the tag itself, then shorter ones; an unknown
 * language gets English (U44).
 *
 * @param {string | null | undefined} tag
 * @returns {{lang: string, texts: Catalog}}
 */
export function textsFor(tag) {
	for (const candidate of candidates(tag ?? '')) {
		const texts = catalogs.get(candidate);
		if (texts) return { lang: written.get(candidate) ?? candidate, texts };
	}
	return { lang: 'en', texts: en };
}

/** @param {string} tag */
function* candidates(tag) {
	const parts = tag.toLowerCase().split(/[-_]/);
	for (let n = parts.length; n > 0; n--) yield parts.slice(0, n).join('-');
	// zh-Hant and zh-HK are written in the characters of zh-TW; plain zh and zh-CN are not.
	if (parts[0] === 'zh' && parts.some((part) => part === 'hant' || part === 'hk' || part === 'mo')) yield 'zh-tw';
}

/** Tags of all languages, as they are written. */
export function languages() {
	return [...written.values()];
}

/**
 * @param {() => void} listener called after a language was added
 * @returns {() => void} ends it
 */
export function onTextsChange(listener) {
	listeners.add(listener);
	return () => listeners.delete(listener);
}
