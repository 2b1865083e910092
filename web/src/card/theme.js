/**
 * The theme variables of the card. This table is the one source: the style
 * sheet reads the variables that stand here, and `docs/card.md` lists them
 * (U42).
 *
 * For each token the first variable that is set wins: the card's own, then
 * Asgard's modal variable, then a brand (see `brand.js`), then Asgard's and
 * Sveda's design tokens, then the default. All are inherited, so a value on
 * any ancestor of the card counts, and the card never sets one of them.
 *
 * @module
 */

/**
 * @typedef {object} ThemeToken
 * @property {string} name `--sveda-confirmation-<name>`
 * @property {string} use
 * @property {'color'|'length'|'font'} kind
 * @property {string} [asgard] `--asgard-consent-modal-<asgard>`
 * @property {string} [asg] `--asg-color-<asg>`
 * @property {string} [sveda] `--sveda-<sveda>`, an HSL triple for colors
 * @property {string} [derived] default that follows from another token, in CSS
 * @property {string} [light] default; an HSL triple for colors, or CSS
 * @property {string} [dark] default in dark color schemes, where it differs
 */

/** @type {readonly ThemeToken[]} */
export const tokens = [
	{ name: 'bg', use: 'card background', kind: 'color', asgard: 'bg', asg: 'surface', sveda: 'card', light: '0 0% 100%', dark: '222 13% 13%' },
	{ name: 'border', use: 'card border and lines', kind: 'color', asgard: 'border', asg: 'border', sveda: 'border', light: '220 13% 84%', dark: '220 9% 30%' },
	{ name: 'headline', use: 'heading', kind: 'color', asgard: 'headline', asg: 'text-primary', sveda: 'card-foreground', light: '222 47% 11%', dark: '0 0% 98%' },
	{ name: 'title', use: 'text, buttons without fill, reason', kind: 'color', asgard: 'title', asg: 'text-primary', sveda: 'card-foreground', light: '222 30% 18%', dark: '220 14% 91%' },
	{ name: 'muted', use: 'secondary text, edges of quiet buttons and of the reason box', kind: 'color', asgard: 'muted', asg: 'text-secondary', sveda: 'muted-foreground', light: '220 9% 40%', dark: '220 9% 70%' },
	{ name: 'accent', use: 'Confirm and Allow once, mark under the tool name', kind: 'color', asgard: 'accent', asg: 'primary', sveda: 'primary', light: '243 65% 52%', dark: '234 89% 78%' },
	{ name: 'accent-hover', use: 'the same under the pointer', kind: 'color', asgard: 'accent-hover', asg: 'primary-dark', light: '243 62% 44%', dark: '234 92% 84%' },
	{ name: 'accent-fg', use: 'text on the accent', kind: 'color', asgard: 'primary-fg', sveda: 'primary-foreground', light: '0 0% 100%', dark: '232 47% 10%' },
	{ name: 'danger', use: 'Deny', kind: 'color', asgard: 'danger', asg: 'error', sveda: 'destructive', light: '0 70% 42%', dark: '0 90% 76%' },
	{ name: 'warning', use: 'edge and sign of warnings', kind: 'color', light: '30 95% 31%', dark: '42 95% 66%' },
	{ name: 'focus', use: 'focus ring', kind: 'color', asgard: 'accent', asg: 'primary', sveda: 'ring', light: '224 76% 48%', dark: '213 94% 76%' },
	{ name: 'input-bg', use: 'background of the reason box', kind: 'color', asgard: 'input-bg', asg: 'bg', sveda: 'background', light: '0 0% 100%', dark: '222 16% 9%' },
	{ name: 'code-bg', use: 'background of the arguments', kind: 'color', asgard: 'code-bg', derived: 'color-mix(in srgb, var(--_bg) 94%, gray)' },
	{ name: 'code-border', use: 'border of the arguments', kind: 'color', asgard: 'code-border', derived: 'color-mix(in srgb, var(--_bg) 76%, gray)' },
	{ name: 'radius', use: 'corner radius', kind: 'length', sveda: 'radius', light: '12px' },
	{ name: 'font', use: 'font family', kind: 'font', light: 'system-ui, "Noto Sans", "Noto Sans CJK TC", "Noto Sans CJK JP", "Noto Naskh Arabic", sans-serif' },
	{ name: 'code-font', use: 'font family of the arguments', kind: 'font', light: 'ui-monospace, "Cascadia Code", "Source Code Pro", Menlo, Consolas, "Noto Sans Mono", "DejaVu Sans Mono", monospace' },
	{ name: 'font-size', use: 'text size, held between 12px and 32px', kind: 'length', light: 'max(14px, 0.875rem)' },
	{ name: 'modal-width', use: 'largest width of the modal', kind: 'length', light: '520px' },
];

/** @param {ThemeToken} token */
function brandName(token) {
	return `--_brand-${token.name}`;
}

/** Tokens that a brand theme can give, see `brand.js`. */
export const brandable = new Set(['bg', 'border', 'muted', 'accent', 'accent-hover', 'accent-fg', 'focus', 'input-bg']);

/**
 * The value of a token: a chain of `var()` in which the first that is set wins.
 *
 * @param {ThemeToken} token
 */
export function chain(token) {
	const names = [`--sveda-confirmation-${token.name}`];
	if (token.asgard) names.push(`--asgard-consent-modal-${token.asgard}`);
	if (brandable.has(token.name)) names.push(brandName(token));
	if (token.asg) names.push(`--asg-color-${token.asg}`);
	return names.reduceRight((inner, name) => `var(${name}, ${inner})`, last(token));
}

/** @param {ThemeToken} token */
function last(token) {
	const { light = '' } = token;
	if (token.derived) return token.derived;
	if (token.kind !== 'color') return token.sveda ? `var(--sveda-${token.sveda}, ${light})` : light;
	/** @param {string} triple */
	const color = (triple) => (token.sveda ? `hsl(var(--sveda-${token.sveda}, ${triple}))` : `hsl(${triple})`);
	return token.dark ? `light-dark(${color(light)}, ${color(token.dark)})` : color(light);
}

/**
 * The variables of a page that a token reads, in order.
 *
 * @param {ThemeToken} token
 */
export function sources(token) {
	const names = [`--sveda-confirmation-${token.name}`];
	if (token.asgard) names.push(`--asgard-consent-modal-${token.asgard}`);
	if (token.asg) names.push(`--asg-color-${token.asg}`);
	if (token.sveda) names.push(`--sveda-${token.sveda}`);
	return names;
}

/** Declarations of the card's inner variables `--_<name>`. */
export function declarations() {
	return tokens.map((token) => `--_${token.name}: ${chain(token)};`).join('\n\t');
}

/** The table of `docs/card.md`, in Markdown. */
export function themeTable() {
	const rows = tokens.map((token) => {
		const fallbacks = [];
		if (token.asgard) fallbacks.push(`\`--asgard-consent-modal-${token.asgard}\``);
		if (token.asg) fallbacks.push(`\`--asg-color-${token.asg}\``);
		if (token.sveda) fallbacks.push(`\`--sveda-${token.sveda}\`${token.kind === 'color' ? ' (HSL triple)' : ''}`);
		/** @param {string} value */
		const written = (value) => (token.kind === 'color' ? `\`hsl(${value})\`` : `\`${value}\``);
		const { light = '' } = token;
		const defaults = token.derived ? `\`${token.derived.replaceAll('var(--_bg)', 'bg')}\``
			: token.dark ? `${written(light)}, dark ${written(token.dark)}` : written(light);
		return `| \`--sveda-confirmation-${token.name}\` | ${token.use} | ${fallbacks.join(', ') || 'none'} | ${defaults} |`;
	});
	return ['| variable | used for | fallbacks, in order | default |', '|---|---|---|---|', ...rows].join('\n');
}
