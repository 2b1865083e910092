/**
 * JSON text of values that a page gives: made in JavaScript, so that a throwing
 * getter or a revoked proxy throws here and never inside Go.
 *
 * @module
 */

/**
 * Like `JSON.stringify`, with well-formed Unicode: a lone surrogate becomes
 * U+FFFD, because servers refuse a body that holds one (case B104).
 *
 * @param {unknown} value
 * @returns {string | undefined} undefined for what JSON cannot hold at its root
 * @throws {TypeError} a cycle or a BigInt
 */
export function stringify(value) {
	const text = JSON.stringify(value);
	// JSON.stringify writes \ud800..\udfff only for lone surrogates.
	return text === undefined || !text.includes('\\ud')
		? text
		: text.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) => (found === '\\\\' ? found : '\\ufffd'));
}

/**
 * Parses JSON without giving any key a meaning of its own: `__proto__` becomes
 * an own property, as `JSON.parse` does.
 *
 * @param {string} text
 * @returns {any}
 */
export function parse(text) {
	return JSON.parse(text);
}

/**
 * Freezes a value of `JSON.parse` in depth, without recursion: arguments may be
 * nested deeper than the stack.
 *
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function deepFreeze(value) {
	/** @type {unknown[]} */
	const waiting = [value];
	while (waiting.length > 0) {
		const next = waiting.pop();
		if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
		Object.freeze(next);
		for (const key of Object.keys(next)) waiting.push(/** @type {any} */ (next)[key]);
	}
	return value;
}
