// A chat that draws its own buttons, from session.confirmations.
import { SvedaClient, messageText } from '/dist/auto.js';
import { Speaker, tokensToText } from '/dist/card/index.js';
import { tokenHeaders } from './token.js';

/**
 * @import { Confirmation } from '../src/confirmation.js'
 * @import { Row } from '../src/card/types.js'
 */

/** @template {HTMLElement} T @param {string} id @returns {T} */
const find = (id) => /** @type {T} */ (document.getElementById(id));
const text = /** @type {HTMLInputElement} */ (find('text'));
const send = /** @type {HTMLButtonElement} */ (find('send'));

const client = new SvedaClient({ headers: tokenHeaders });
const session = await openChat();

const speaker = new Speaker('en');
/** @type {readonly Confirmation[] | undefined} */
let drawn;

/** The chat that the address names, or a new one. */
async function openChat() {
	try {
		const wanted = decodeURIComponent(location.hash.slice(1));
		if (wanted === '') return client.createSession();
		const { messages } = await client.getHistory(wanted);
		const stored = client.session(wanted);
		stored.setMessages(messages);
		return stored;
	} catch (error) {
		if (/** @type {{status?: number}} */ (error).status !== 404) showProblem(error);
		return client.createSession();
	}
}

function show() {
	const { messages, confirmations, confirmationPending, isStreaming, chatId } = session.getSnapshot();
	if (messages.length > 0) history.replaceState(null, '', `#${encodeURIComponent(chatId)}`);
	find('messages').replaceChildren(...messages.map((message) => isolated('li', messageText(message))));
	// The list is the same array until a confirmation changes: the focus stays.
	if (confirmations !== drawn) {
		drawn = confirmations;
		find('questions').replaceChildren(...confirmations.filter((c) => c.state === 'pending' || c.state === 'deciding').map(question));
	}
	send.disabled = text.disabled = confirmationPending || isStreaming;
}

/** @param {Confirmation} confirmation */
function question(confirmation) {
	const { toolCallId, toolName, state, error, uncertain } = confirmation;
	// Made from the bytes that the server sent; invisible characters become labels.
	const { rows, warnings, blocked, digest, hidden } = confirmation.arguments;
	const list = element('dl', '');
	/** @type {string[]} */
	const path = [];
	for (const row of rows) {
		path.splice(row.depth, Infinity, row.key === null ? `[${row.index ?? ''}]` : tokensToText(row.key, speaker));
		list.append(isolated('dt', path.join(' › ')), isolated('dd', valueOf(row)));
	}
	/** @param {string} label @param {'approve' | 'deny'} decision @param {boolean} possible */
	const button = (label, decision, possible) => {
		const node = element('button', label);
		node.toggleAttribute('disabled', state !== 'pending' || !possible);
		node.addEventListener('click', () => {
			session.resolveToolConfirmation(toolCallId, decision, { digest }).catch(showProblem);
		});
		return node;
	};
	const buttons = element('div', '');
	buttons.className = 'buttons';
	buttons.append(button('Yes, do it', 'approve', blocked === null && hidden.rows + hidden.characters === 0), button('No', 'deny', true));
	const box = element('section', '');
	box.className = 'question';
	box.dataset.call = toolCallId;
	const heading = element('strong', 'May ');
	heading.append(isolated('bdi', toolName), ' run?');
	box.append(heading, list);
	if (warnings.length > 0) box.append(isolated('p', `Look closely: ${warnings.map(({ code, path }) => `${code} at ${path}`).join(', ')}`));
	if (uncertain) box.append(element('p', 'Whether your decision arrived is not known. It may have taken effect already.'));
	box.append(buttons);
	if (error) box.append(element('p', error.message));
	return box;
}

/**
 * A value as it can be told from every other one: a text has quotes.
 *
 * @param {Row} row
 */
function valueOf({ kind, size, tokens }) {
	if (kind === 'object' || kind === 'array') return size ? `${kind} of ${size}` : `empty ${kind}`;
	const value = tokensToText(tokens ?? [], speaker);
	return kind === 'string' ? `"${value}"` : value;
}

/** @param {unknown} error */
function showProblem(error) {
	find('problem').textContent = error ? /** @type {Error} */ (error).message : '';
}

/** @param {string} name @param {string} content */
function element(name, content) {
	const node = document.createElement(name);
	node.textContent = content;
	return node;
}

/** A text of somebody else, in its own direction. @param {string} name @param {string} content */
function isolated(name, content) {
	const node = element(name, content);
	node.dir = 'auto';
	return node;
}

find('form').addEventListener('submit', (event) => {
	event.preventDefault();
	showProblem(undefined);
	session.send(text.value).catch(showProblem);
	text.value = '';
});
session.subscribe(show);
show();
document.documentElement.dataset.ready = '';
