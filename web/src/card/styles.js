/**
 * The style sheet, made once per document. Logical properties only, so that
 * right-to-left languages mirror by themselves (U45); no inline style
 * anywhere (S52).
 *
 * @module
 */

import { declarations, tokens } from './theme.js';

/** What a probe computes to when its variable is no color at all. */
export const unset = 'rgba(1, 2, 3, 0.004)';

/** One probe for each color token: computed styles know the color behind a chain of variables. */
function probes() {
	return tokens.filter((token) => token.kind === 'color')
		.map((token) => `.p-${token.name} { color: var(--_${token.name}); }`).join('\n');
}

export const cssText = `
:host { display: block; }
:host([hidden]) { display: none; }
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([theme="auto"]) { color-scheme: light dark; }

/* Nothing that the page's text inherits may change what is read here: no
   transparent fill, no upper case, no tiny size (U41). */
.root, .probes {
	all: initial;
	color-scheme: inherit;
	${declarations()}
}
.root {
	--_code-fg: var(--_title);
	--_input-fg: var(--_title);
	--_confirm-edge: var(--_accent);
	display: block;
	box-sizing: border-box;
	font-family: var(--_font);
	font-size: 14px; /* what its children have when the variable is no size */
	line-height: 1.45;
	color: var(--_title);
	text-align: start;
	overflow-wrap: anywhere;
}
.root[hidden] { display: none; }
.card, .surface, .wide { font-size: clamp(12px, var(--_font-size), 32px); }
.probes { display: none; color: ${unset}; }
.p-scheme { color: light-dark(rgb(255 255 255), rgb(0 0 0)); }
${probes()}
.root[dir="rtl"] { direction: rtl; }
.root[dir="ltr"] { direction: ltr; }
.root *, .root *::before, .root *::after { box-sizing: border-box; }
.root [hidden] { display: none !important; }
:where(.root h2, .root p, .root ul, .root li) { margin: 0; padding: 0; font: inherit; }
:where(.root ul) { list-style: none; }

.live {
	position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden;
	clip-path: inset(50%); white-space: nowrap;
}

/* The card: a heading and the buttons that stay, and between them the part
   that scrolls when there is more than the room allows (U30). */
.card {
	container-type: inline-size;
	display: flex; flex-direction: column;
	max-block-size: calc(var(--_room, 100dvh) - 16px);
	border: 1px solid var(--_border);
	border-radius: var(--_radius);
	background-color: light-dark(#fff, #1c1e22);
	background-image: linear-gradient(var(--_bg), var(--_bg));
	overflow: clip;
}
.head { flex: none; display: flex; gap: 12px; align-items: start; padding: 14px 16px 8px; }
.heading { flex: 1; min-inline-size: 0; color: var(--_headline); font-size: 1.14em; font-weight: 600; line-height: 1.35; }
.tool { unicode-bidi: isolate; font-family: var(--_code-font); font-size: .95em; text-decoration: underline 2px var(--_accent); text-underline-offset: .25em; }
.counter { flex: none; color: var(--_muted); font-size: max(12px, .86em); padding-block-start: .2em; }

.body { flex: 0 1 auto; min-block-size: 48px; overflow: auto; padding: 0 16px; display: flex; flex-direction: column; gap: 10px; }
.body > * { flex: none; }
.where { color: var(--_muted); display: flex; flex-wrap: wrap; gap: 0 1em; }
.full-name { font-family: var(--_code-font); }
.notes { border-inline-start: 4px solid var(--_warning); padding-inline-start: 10px; display: grid; gap: 2px; }
.notes-title { display: flex; gap: 6px; align-items: center; font-weight: 600; }
.sign { flex: none; inline-size: 1.15em; block-size: 1.15em; color: var(--_warning); fill: none; stroke: currentColor; }
.overview { color: var(--_muted); }
.quote { color: var(--_muted); }
.quote blockquote { margin: 2px 0 0; padding-inline-start: 10px; border-inline-start: 2px solid var(--_border); white-space: pre-wrap; }

.args { border: 1px solid var(--_code-border); border-radius: min(var(--_radius), 8px); background-color: light-dark(#fff, #101216); background-image: linear-gradient(var(--_code-bg), var(--_code-bg)); color: var(--_code-fg); padding: 8px 10px; direction: ltr; unicode-bidi: isolate; font-family: var(--_code-font); font-size: max(12px, .93em); }
.none { color: var(--_code-fg); font-family: var(--_font); }
.rows.long > .block { content-visibility: auto; contain-intrinsic-block-size: auto 1300px; }
.row { display: grid; grid-template-columns: minmax(0, 9em) minmax(0, 1fr); column-gap: 1em; padding-block: 2px; white-space: pre-wrap; }
.row > .key { font-weight: 600; }
.row > .val { border-inline-start: 2px solid var(--_code-border); padding-inline-start: 8px; }
.row.scalar > .val { grid-column: 1 / -1; }
.val.string:not(.empty)::before, .val.string:not(.empty)::after { content: "\\0022"; }
.val.empty, .val.size { font-style: italic; }
.key, .val { unicode-bidi: isolate; overflow-wrap: anywhere; }
.piece { display: block; }
.huge > .piece { content-visibility: auto; contain-intrinsic-block-size: auto 1800px; }
.flag { grid-column: 1 / -1; font-family: var(--_font); font-size: max(12px, .93em); display: flex; gap: 6px; align-items: center; white-space: normal; }
.chip { display: inline-block; unicode-bidi: isolate; border: 1px solid currentColor; border-radius: 4px; padding-inline: .3em; margin-inline: .1em; font-family: var(--_font); font-size: max(12px, .86em); line-height: 1.3; white-space: normal; font-style: normal; font-weight: 400; }
${indents(12)}

.foot { flex: none; display: flex; flex-direction: column; gap: 10px; padding: 10px 16px 14px; }
.line { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.status:empty, .hint:empty, .waiting:empty { display: none; }
.status { min-inline-size: 0; }
.status.failed { border-inline-start: 4px solid var(--_danger); padding-inline-start: 10px; }
.hint { border-inline-start: 4px solid var(--_focus); padding-inline-start: 10px; }
.waiting { color: var(--_muted); }
.scope { border-inline-start: 4px solid var(--_warning); padding-inline-start: 10px; }
.reason { display: grid; gap: 4px; }
.reason label { font-weight: 600; }
.reason textarea { font: inherit; color: var(--_input-fg); background-color: light-dark(#fff, #101216); background-image: linear-gradient(var(--_input-bg), var(--_input-bg)); border: 1px solid var(--_muted); border-radius: min(var(--_radius), 8px); padding: 8px 10px; inline-size: 100%; min-block-size: 3.2em; resize: vertical; }
.reason textarea::placeholder { color: var(--_input-fg); opacity: 1; font-style: italic; }
.count { color: var(--_muted); font-size: max(12px, .86em); }

button {
	font: inherit; font-family: var(--_font); color: var(--_title); cursor: pointer; text-align: center;
	min-block-size: 28px; min-inline-size: 28px; padding: 3px 10px;
	border: 1px solid var(--_muted); border-radius: min(var(--_radius), 8px);
	background: none; overflow-wrap: anywhere;
}
button:hover { text-decoration: underline; text-underline-offset: .2em; }
button[aria-disabled="true"] { cursor: not-allowed; border-style: dashed; text-decoration: none; }
.quiet { font-size: max(12px, .93em); }
.actions { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.actions button { min-block-size: 38px; padding: 7px 12px; border-width: 2px; font-weight: 600; }
.deny { color: var(--_danger); border-color: var(--_danger); }
.confirm { border-color: var(--_confirm-edge); }
.confirm:not([aria-disabled="true"]) { color: var(--_accent-fg); background-color: var(--_accent); }
.confirm:not([aria-disabled="true"]):hover { background-color: var(--_accent-hover); }
.wide { inline-size: 100%; }

:focus { outline: none; }
:focus-visible, .heading:focus, .result:focus, .scope:focus { outline: 3px solid var(--_focus); outline-offset: 2px; border-radius: 4px; }
.body:focus-visible { outline-offset: -3px; }
button:focus-visible { border-radius: min(var(--_radius), 8px); }

.results, .grants { display: grid; gap: 4px; }
.results { margin-block-end: 8px; }
.result { display: flex; gap: 8px; align-items: start; }
.result .mark { flex: none; inline-size: 1.2em; text-align: center; font-weight: 700; }
.grants { border-block-start: 1px solid var(--_border); padding-block-start: 8px; }
.surface { border-radius: var(--_radius); padding: 8px 12px; background-color: light-dark(#fff, #1c1e22); background-image: linear-gradient(var(--_bg), var(--_bg)); border: 1px solid var(--_border); margin-block-start: 8px; }

dialog { border: 0; padding: 0; margin: auto; background: none; color: inherit; inline-size: auto; max-inline-size: none; max-block-size: none; overflow: visible; }
dialog::backdrop { background: rgb(0 0 0 / .6); }
.root.modal { --_room: min(calc(85dvh + 16px), 100dvh); inline-size: min(var(--_modal-width), 100vw - 16px); margin: auto; max-block-size: 100dvh; }
.sentinel { position: absolute; inline-size: 0; block-size: 0; overflow: hidden; }

@container (max-width: 440px) {
	.head { padding-inline: 12px; flex-direction: column; gap: 2px; }
	.body { padding-inline: 12px; }
	.foot { padding-inline: 12px; }
	.row { grid-template-columns: minmax(0, 1fr); }
	.row > .val { margin-inline-start: 4px; }
	.row.size { grid-template-columns: minmax(0, max-content) minmax(0, 1fr); }
}
@container (max-width: 240px) {
	.actions { grid-template-columns: 1fr !important; }
}
/* No room for a part that scrolls on its own: the page, or the dialog, scrolls. */
@media (max-height: 399px) {
	.card { max-block-size: none; }
	.body { max-block-size: max(120px, 60dvh); }
	.root.modal { overflow: auto; }
}
@media (pointer: coarse), (any-pointer: coarse) {
	button, .actions button { min-block-size: 44px; min-inline-size: 44px; }
}
@media (prefers-contrast: more) {
	.root { --_border: var(--_title); --_code-border: var(--_code-fg); --_muted: var(--_title); }
}
@media (forced-colors: active) {
	.card, .args, .surface, button, .reason textarea { border-color: ButtonBorder; background-image: none; }
	.confirm:not([aria-disabled="true"]) { forced-color-adjust: none; background-color: Highlight; color: HighlightText; border-color: Highlight; }
	button[aria-disabled="true"] { color: GrayText; border-color: GrayText; }
	:focus-visible, .heading:focus, .result:focus, .scope:focus { outline-color: Highlight; }
	.confirm:focus-visible { outline-color: CanvasText; }
	.notes, .scope, .status.failed, .hint { border-color: CanvasText; }
}
`;

/**
 * Indentation by depth. Beyond the last step the depth is written out, so
 * that deep nesting does not push values off a narrow screen.
 *
 * @param {number} steps
 */
function indents(steps) {
	let css = '';
	for (let depth = 1; depth <= steps; depth++) css += `.d${depth} { margin-inline-start: ${depth * 10}px; }\n`;
	return css;
}

/** The last depth that has an indentation of its own. */
export const deepest = 12;

/** @type {CSSStyleSheet | null} */
let shared = null;

/** @returns {CSSStyleSheet} */
export function sharedSheet() {
	if (!shared) {
		shared = new CSSStyleSheet();
		shared.replaceSync(cssText);
	}
	return shared;
}
