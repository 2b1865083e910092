/**
 * Request headers: ours, then the page's, which may override them.
 *
 * @module
 */

/**
 * @typedef {HeadersInit | Record<string, string | undefined | null> | undefined | null} HeaderSource
 * @typedef {HeaderSource | (() => HeaderSource | PromiseLike<HeaderSource>)} HeaderOption
 */

/**
 * Joins headers for one request. A plain object comes out, because that is what
 * a page's own fetchFn reads.
 *
 * @param {Iterable<readonly [string, string]>} ours
 * @param {HeaderOption} theirs an object, or a function that is called for each request
 * @returns {Record<string, string> | Promise<Record<string, string>>} a promise
 *   only when the function gave one
 */
export function joinHeaders(ours, theirs) {
	const given = typeof theirs === 'function' ? theirs() : theirs;
	return isPromise(given) ? Promise.resolve(given).then((headers) => merge(ours, headers)) : merge(ours, given);
}

/**
 * @param {HeaderSource | PromiseLike<HeaderSource>} given
 * @returns {given is PromiseLike<HeaderSource>}
 */
export function isPromise(given) {
	return typeof (/** @type {any} */ (given)?.then) === 'function';
}

/**
 * @param {Iterable<readonly [string, string]>} ours
 * @param {HeaderSource} given
 */
function merge(ours, given) {
	/** @type {Record<string, string>} */
	const joined = Object.fromEntries(ours);
	for (const [name, value] of entries(given)) {
		if (value === undefined || value === null) continue;
		// fetch would join the values of two spellings of one name.
		const lower = name.toLowerCase();
		for (const other of Object.keys(joined)) if (other.toLowerCase() === lower) delete joined[other];
		joined[name] = String(value);
	}
	return joined;
}

/**
 * @param {HeaderSource} given
 * @returns {[string, any][]}
 */
export function entries(given) {
	if (given === undefined || given === null) return [];
	const iterable = /** @type {any} */ (given)[Symbol.iterator];
	return typeof iterable === 'function' ? [.../** @type {any} */ (given)] : Object.entries(given);
}

/**
 * A Retry-After header in milliseconds, at most five minutes.
 *
 * @param {string | null} value seconds or an HTTP date
 * @param {number} now milliseconds since the epoch
 * @returns {number} -1 when absent or unreadable
 */
export function retryAfter(value, now) {
	if (value === null) return -1;
	const text = value.trim();
	const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
	if (Number.isNaN(wait) || !/\d/.test(text) || text.startsWith('-')) return -1;
	return Math.min(Math.max(wait, 0), 300_000);
}
