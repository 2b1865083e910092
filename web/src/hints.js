/**
 * What the browser says of the page and the network. All of it is a hint: it may
 * be late, wrong, or missing (R33, R35).
 *
 * @module
 */

/**
 * @typedef {'online' | 'awake' | 'leaving'} Hint `awake`: the page is in front of
 *   a person again; `leaving`: it may be gone in a moment
 */

/** @type {Set<(hint: Hint) => void>} */
const listeners = new Set();

/** @param {Hint} hint */
const tell = (hint) => {
	for (const listener of [...listeners]) listener(hint);
};
const online = () => tell('online');
const leaving = () => tell('leaving');
const awake = () => tell('awake');
const visibility = () => tell(globalThis.document.visibilityState === 'hidden' ? 'leaving' : 'awake');

/** @type {[() => EventTarget, string, () => void][]} */
const sources = [
	[() => globalThis, 'online', online],
	[() => globalThis, 'pageshow', awake],
	[() => globalThis, 'pagehide', leaving],
	[() => globalThis.document, 'visibilitychange', visibility],
	[() => globalThis.document, 'resume', awake],
	[() => globalThis.document, 'freeze', leaving],
];

/**
 * Hears hints, where there is a page.
 *
 * @param {(hint: Hint) => void} listener
 * @returns {() => void} ends that
 */
export function onHint(listener) {
	if (globalThis.document === undefined) return () => {};
	if (listeners.size === 0) for (const [target, name, handler] of sources) target().addEventListener(name, handler);
	listeners.add(listener);
	return () => {
		if (!listeners.delete(listener) || listeners.size > 0) return;
		for (const [target, name, handler] of sources) target().removeEventListener(name, handler);
	};
}
