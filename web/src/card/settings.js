/**
 * Attributes of the element as settings.
 *
 * @module
 */

import { repeatsShown } from './card-body.js';
import { parseOrigins } from './frame.js';

/** @import { Confirmation } from './types.js' */

/** Attributes whose change matters. */
export const observed = /** @type {const} */ ([
	'lang', 'variant', 'theme', 'two-step-deny', 'allow-remember', 'allow-remember-destructive', 'allow-stop',
	'show-model-reason', 'allowed-ancestors',
]);

/** Modes for which a grant needs a second word of the page (U57). */
const destructive = /delete|destroy|destructive|remove/i;

/**
 * A boolean attribute: there means on, `off` and `false` mean off, absent
 * means what the variant does by itself.
 *
 * @param {Element} element
 * @param {string} name
 * @param {boolean} otherwise
 */
function flag(element, name, otherwise) {
	const value = element.getAttribute(name);
	if (value === null) return otherwise;
	return value !== 'off' && value !== 'false';
}

/** @param {Element} element */
export function readSettings(element) {
	const modal = element.getAttribute('variant') === 'modal';
	return {
		modal,
		/** Asgard asks twice before it denies, Sveda once (U52). */
		twoStepDeny: flag(element, 'two-step-deny', modal),
		modelReason: flag(element, 'show-model-reason', modal),
		allowed: parseOrigins(element.getAttribute('allowed-ancestors') ?? ''),
		/** @param {Confirmation} confirmation */
		grant(confirmation) {
			if (!flag(element, 'allow-remember', false)) return false;
			return !destructive.test(confirmation.mode ?? '') || flag(element, 'allow-remember-destructive', false);
		},
		/** @param {Confirmation} confirmation */
		stop: (confirmation) => flag(element, 'allow-stop', (confirmation.alreadyAsked ?? 0) >= repeatsShown),
	};
}

/** @typedef {ReturnType<typeof readSettings>} Settings */

/**
 * The language that is asked for: the element's own, or the nearest around it.
 *
 * @param {Element} element
 */
export function languageOf(element) {
	for (let at = /** @type {Element | null} */ (element); at;) {
		const holder = at.closest('[lang]');
		if (holder) return holder.getAttribute('lang');
		const root = at.getRootNode();
		at = root instanceof ShadowRoot ? root.host : null;
	}
	return null;
}
