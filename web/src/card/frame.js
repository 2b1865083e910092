/**
 * Whether somebody else frames this page (S31). The header that keeps foreign
 * frames out is `frame-ancestors`; this is the belt to those braces.
 *
 * @module
 */

/**
 * @param {string} list origins, separated by white space
 * @returns {Set<string>} as `location.origin` writes them; what is no origin is left out
 */
export function parseOrigins(list) {
	/** @type {Set<string>} */
	const origins = new Set();
	for (const item of list.split(/\s+/)) {
		if (item === '') continue;
		try {
			const { origin } = new URL(item);
			if (origin !== 'null') origins.add(origin);
		} catch {
			console.warn('sveda-confirmation: allowed-ancestors has an entry that is not an origin');
		}
	}
	return origins;
}

/**
 * @param {Window} window
 * @param {Set<string>} allowed besides the page's own origin
 * @returns {'ok' | 'framed'} an ancestor that cannot be known is not allowed
 */
export function frameState(window, allowed) {
	if (window.parent === window) return 'ok';
	const own = window.location.origin;
	// Two opaque origins are both written "null" and are not the same.
	const known = (/** @type {string | null} */ origin) => origin !== null && origin !== 'null' && (origin === own || allowed.has(origin));
	const reported = window.location.ancestorOrigins;
	if (reported) return [...reported].every(known) ? 'ok' : 'framed';
	for (let at = window; at !== at.parent; at = at.parent) {
		if (!known(readableOrigin(at.parent))) return 'framed';
	}
	return 'ok';
}

/**
 * @param {Window} window
 * @returns {string | null} null when it is of another origin
 */
function readableOrigin(window) {
	try {
		return window.location.origin;
	} catch {
		return null;
	}
}

/**
 * Reports whether a framed card is covered, where the browser can tell
 * (IntersectionObserver version 2).
 *
 * @param {Element} target
 * @param {(covered: boolean) => void} report
 * @returns {(() => void) | null} ends it; null when the browser cannot tell
 */
export function watchCover(target, report) {
	if (!('isVisible' in IntersectionObserverEntry.prototype)) return null;
	const options = /** @type {IntersectionObserverInit} */ ({ trackVisibility: true, delay: 100, threshold: [0, 0.5, 1] });
	const observer = new IntersectionObserver((entries) => {
		const entry = /** @type {IntersectionObserverEntry & {isVisible?: boolean}} */ (entries[entries.length - 1]);
		report(entry.isIntersecting && entry.isVisible === false);
	}, options);
	observer.observe(target);
	return () => observer.disconnect();
}
