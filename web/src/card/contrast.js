/**
 * Color arithmetic of WCAG 2: reading computed colors, blending, contrast.
 *
 * @module
 */

/** @typedef {[r: number, g: number, b: number, a: number]} Rgba channels 0 to 255, alpha 0 to 1 */

export const black = /** @type {Rgba} */ ([0, 0, 0, 1]);
export const white = /** @type {Rgba} */ ([255, 255, 255, 1]);

/**
 * Reads a color as `getComputedStyle` writes it. Forms that are not plain sRGB
 * are drawn onto a canvas of one pixel.
 *
 * @param {string} text
 * @returns {Rgba | null} null when it cannot be read
 */
export function parseColor(text) {
	const rgb = /^rgba?\(([^)]*)\)$/.exec(text);
	if (rgb) return channels(rgb[1], 1);
	const srgb = /^color\(srgb ([^)]*)\)$/.exec(text);
	if (srgb) return channels(srgb[1], 255);
	return drawn(text);
}

/**
 * @param {string} list
 * @param {number} scale
 * @returns {Rgba | null}
 */
function channels(list, scale) {
	const parts = list.split(/[\s,/]+/).filter(Boolean).map((part) => (part === 'none' ? 0 : Number.parseFloat(part)));
	if (parts.length < 3 || parts.some(Number.isNaN)) return null;
	const [r, g, b, a = 1] = parts;
	const clamp = (/** @type {number} */ value) => Math.min(255, Math.max(0, value * scale));
	return [clamp(r), clamp(g), clamp(b), Math.min(1, Math.max(0, a))];
}

/** @param {string} text */
function drawn(text) {
	const canvas = document.createElement('canvas');
	canvas.width = canvas.height = 1;
	const context = canvas.getContext('2d', { willReadFrequently: true });
	if (!context) return null;
	context.fillStyle = '#010203';
	context.fillStyle = text;
	if (context.fillStyle === '#010203') return null; // not a color
	context.fillRect(0, 0, 1, 1);
	const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
	return /** @type {Rgba} */ ([r, g, b, a / 255]);
}

/**
 * @param {Rgba} top
 * @param {Rgba} below opaque
 * @returns {Rgba}
 */
export function blend(top, below) {
	const [r, g, b, a] = top;
	const mix = (/** @type {number} */ t, /** @type {number} */ u) => t * a + u * (1 - a);
	return [mix(r, below[0]), mix(g, below[1]), mix(b, below[2]), 1];
}

/** @param {Rgba} color */
export function luminance(color) {
	const [r, g, b] = color.map((channel) => {
		const c = channel / 255;
		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * @param {Rgba} a opaque
 * @param {Rgba} b opaque
 * @returns {number} 1 to 21
 */
export function contrast(a, b) {
	const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
	return (light + 0.05) / (dark + 0.05);
}

/**
 * Black or white, whichever reads better; never below 4.58:1.
 *
 * @param {Rgba} background opaque
 * @returns {Rgba}
 */
export function readableOn(background) {
	return contrast(black, background) >= contrast(white, background) ? black : white;
}

/** @param {Rgba} color */
export function toCss([r, g, b]) {
	return `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)})`;
}
