/**
 * Effects of the page that make a card hard to read although its colors are
 * right: transparency, blur, shrinking. Style sheets of the page can put them
 * on any ancestor (U41).
 *
 * @module
 */

import { flatParent } from './dom.js';

/** Smallest text, in CSS pixels on the screen. */
const smallest = 12;

/**
 * @param {HTMLElement} node a piece of text of the card
 * @returns {boolean}
 */
export function isLegible(node) {
	let opacity = 1;
	for (let at = /** @type {Element | null} */ (node); at; at = flatParent(at)) {
		const style = getComputedStyle(at);
		if (style.visibility !== 'visible' && at === node) return false;
		opacity *= Number(style.opacity);
		if (opacity < 0.9 || blurs(style.filter) || style.mixBlendMode !== 'normal') return false;
	}
	const { height } = node.getBoundingClientRect();
	const scale = node.offsetHeight > 0 ? height / node.offsetHeight : 1;
	return Number.parseFloat(getComputedStyle(node).fontSize) * scale >= smallest - 0.2;
}

/** @param {string} filter */
function blurs(filter) {
	if (filter === 'none' || filter === '') return false;
	for (const [, name, value] of filter.matchAll(/([a-z-]+)\(([^)]*)/g)) {
		const amount = Number.parseFloat(value);
		if (name === 'blur' && amount > 0.5) return true;
		if (name === 'opacity' && amount < 0.9) return true;
		if ((name === 'brightness' || name === 'contrast') && (amount < 0.6 || amount > 2)) return true;
	}
	return false;
}
