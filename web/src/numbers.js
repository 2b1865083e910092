/**
 * Whether JavaScript holds the numbers of a JSON text exactly.
 *
 * @module
 */

const quote = 0x22;
const backslash = 0x5c;

/**
 * Finds a number with more digits than a double keeps, such as
 * `9007199254740993` or `1e400` (S12).
 *
 * @param {string} text JSON, or one number of it
 * @returns {boolean}
 */
export function isInexact(text) {
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code === quote) {
			for (i++; i < text.length && text.charCodeAt(i) !== quote; i++) if (text.charCodeAt(i) === backslash) i++;
			continue;
		}
		if (code !== 0x2d && !(code >= 0x30 && code <= 0x39)) continue;
		const start = i;
		while (i < text.length && /[-+.\deE]/.test(text[i])) i++;
		const lexeme = text.slice(start, i--);
		// 15 digits always fit: most numbers need no second look.
		if (lexeme.length <= 15 && !/e/i.test(lexeme)) continue;
		if (digits(lexeme) !== digits(String(Number(lexeme)))) return true;
	}
	return false;
}

/**
 * The significant digits and the power of ten of a number, whatever its
 * notation: 1.50e3 and 1500 are the same.
 *
 * @param {string} lexeme
 */
function digits(lexeme) {
	const match = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(lexeme);
	if (match === null) return lexeme; // Infinity
	const [, whole, fraction = '', exponent = '0'] = match;
	const all = (whole + fraction).replace(/^0+/, '');
	const kept = all.replace(/0+$/, '');
	if (kept === '') return '0';
	return `${lexeme.startsWith('-') ? '-' : ''}${kept}e${Number(exponent) - fraction.length + all.length - kept.length}`;
}
