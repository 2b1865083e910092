// What was stored of the chat, shown until the core is there. It is a picture:
// nothing in it can be pressed, and the session's own messages take its place.
import { storedMessages } from '/dist/preview.js';
import { asgard } from './protocol.js';
import { tokenHeaders } from './token.js';

/** @import { DisplayMessage, DisplayPart } from '../src/display.js' */

const words = { waiting: 'waiting', unfinished: 'no result', done: 'done', failed: 'failed', denied: 'denied' };

const log = /** @type {HTMLElement} */ (document.getElementById('log'));
const welcome = /** @type {HTMLElement} */ (document.getElementById('welcome'));
const title = /** @type {HTMLElement} */ (document.getElementById('title'));
/** @type {HTMLElement[]} */
let rows = [];
let over = false;

async function showStored() {
	const wanted = decodeURIComponent(location.hash.slice(1));
	if (wanted === '' || asgard) return;
	title.textContent = 'Loading…';
	const messages = await storedMessages(wanted, { headers: tokenHeaders });
	if (over || !messages?.length) return; // the session was faster
	welcome.hidden = true;
	rows = messages.map(makeRow);
	welcome.after(...rows);
	log.scrollTop = log.scrollHeight;
}

/**
 * Takes the picture away, because the session's messages are drawn now.
 *
 * @returns {(() => void) | undefined} to be called when they are: brings a reader
 *   back to the same message; undefined when there was none, and for a reader who
 *   was at the end
 */
export function leaveStored() {
	over = true;
	const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
	const seen = rows.findIndex((row) => offset(row) + row.clientHeight > 0);
	const fromEnd = rows.length - seen;
	const at = seen < 0 ? 0 : offset(rows[seen]);
	for (const row of rows.splice(0)) row.remove();
	if (seen < 0 || atEnd) return undefined;
	return () => {
		const row = [...log.querySelectorAll('.message:not([hidden])')].at(-fromEnd);
		if (row !== undefined) log.scrollTop += offset(row) - at;
	};
}

/** @param {Element} row how far it is below the top of what is seen */
function offset(row) {
	return row.getBoundingClientRect().top - log.getBoundingClientRect().top;
}

/** @param {DisplayMessage} message */
function makeRow({ role, parts, cut }) {
	const row = element('article', `message ${role}`);
	row.dataset.stored = '';
	row.append(...parts.map(makePart));
	if (cut) row.append(element('div', 'text', '…'));
	return row;
}

/** @param {DisplayPart} part */
function makePart(part) {
	if (part.type === 'tool') {
		const node = element('div', 'tool');
		node.dataset.state = part.state;
		const line = element('div', 'line');
		line.append(element('span', 'dot'), element('span', 'name', part.toolName), element('span', 'state', words[part.state]));
		node.append(line);
		return node;
	}
	if (part.type === 'file') return element('div', '', part.name);
	if (part.type === 'text') return element('div', 'text', part.text);
	const node = element('details', 'reasoning');
	node.append(element('summary', '', 'Reasoning'), element('div', 'text', part.text));
	return node;
}

/** @param {string} name @param {string} className @param {string} [text] */
function element(name, className, text) {
	const node = document.createElement(name);
	if (className) node.className = className;
	if (text === undefined) return node;
	if (name === 'div') node.dir = 'auto'; // as the session's texts have it
	node.textContent = text;
	return node;
}

// The session reads the same chat when it is there, and tells what is wrong.
showStored().catch(() => {});
