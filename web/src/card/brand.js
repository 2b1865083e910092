/**
 * Asgard's brand theme as a source of colors, in the order that its document
 * gives. The values go below the variables that a page sets on an ancestor,
 * so the page's own override always wins (the known modal writes them inline,
 * above everything).
 *
 * @module
 */

/**
 * The parts of an Asgard theme that the consent modal reads.
 *
 * @typedef {object} BrandTheme
 * @property {object} [chatbot]
 * @property {string} [chatbot.mainColor]
 * @property {string} [chatbot.secondaryColor]
 * @property {string} [chatbot.backgroundColor]
 * @property {string} [chatbot.borderColor]
 * @property {string} [chatbot.inactiveColor]
 * @property {{mainColor?: string, secondaryColor?: string}} [chatbot.primaryComponent]
 * @property {{backgroundColor?: string}} [userMessage]
 */

/**
 * @param {BrandTheme | null} theme
 * @returns {Map<string, string>} values of the inner brand variables, by token name
 */
export function brandColors(theme) {
	const chatbot = theme?.chatbot ?? {};
	const accent = first(chatbot.primaryComponent?.mainColor, chatbot.mainColor, theme?.userMessage?.backgroundColor);
	/** @type {[string, string | undefined][]} */
	const colors = [
		['accent', accent],
		['accent-hover', accent && `color-mix(in srgb, ${accent} 85%, black)`],
		['accent-fg', accent && first(chatbot.primaryComponent?.secondaryColor, chatbot.secondaryColor)],
		['focus', accent],
		['bg', first(chatbot.backgroundColor)],
		['input-bg', first(chatbot.backgroundColor)],
		['border', first(chatbot.borderColor)],
		['muted', first(chatbot.inactiveColor)],
	];
	/** @type {Map<string, string>} */
	const map = new Map();
	for (const [name, color] of colors) if (color) map.set(name, color);
	return map;
}

const keyword = /^\s*(inherit|initial|unset|revert|revert-layer|currentcolor)\s*$/i;

/**
 * The first that is a color of its own. A value that only passes a variable on
 * (`var(--asg-color-…)`) is no brand: the chain reads that variable anyway.
 *
 * @param {...(string | undefined)} candidates
 */
function first(...candidates) {
	return candidates.find((color) => typeof color === 'string' && !color.includes('var(') && !keyword.test(color)
		&& CSS.supports('color', color));
}
