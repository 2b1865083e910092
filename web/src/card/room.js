/**
 * How high a card may be: as high as the box that scrolls it. In a chat panel
 * that is the panel, not the window (U30).
 *
 * @module
 */

import { flatParent } from './dom.js';

/**
 * @param {Element} node
 * @returns {number | null} height in CSS pixels; null when the page itself scrolls
 */
export function roomFor(node) {
	for (let at = flatParent(node); at && at !== document.body && at !== document.documentElement; at = flatParent(at)) {
		const { overflowY } = getComputedStyle(at);
		if ((overflowY === 'auto' || overflowY === 'scroll') && at.clientHeight > 0) return at.clientHeight;
	}
	return null;
}
