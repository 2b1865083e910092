// Draws the messages of a session. A message is touched only when it changed,
// and streaming text is appended to the text that is there.
import { messageKey } from '/dist/index.js';

/**
 * @import { Message, Part } from '../src/message.js'
 * @import { Confirmation } from '../src/confirmation.js'
 */

const words = {
	waiting: 'waits for you', decided: 'you decided', running: 'running', done: 'done', failed: 'failed', denied: 'denied',
	expired: 'expired, did not run', elsewhere: 'answered elsewhere', unknown: 'outcome unknown', none: 'no result',
};

/** What a call without a result is, by its confirmation. @type {Record<string, keyof typeof words>} */
const unfinished = {
	pending: 'waiting', deciding: 'decided', denied: 'denied', expired: 'expired', 'answered-elsewhere': 'elsewhere', 'outcome-unknown': 'unknown',
};

export class ChatView {
	#log;
	#welcome;
	#end;
	#pinned = true;
	/** The call whose question was brought into view by its top. */
	#asking = '';
	/** Where the log was put last, and whether that was the end. */
	#put = { at: -1, end: false };
	/** @type {Map<unknown, {node: HTMLElement, message: Message | undefined}>} */
	#rows = new Map();
	/** @type {readonly Message[]} */
	#shown = [];
	/** @type {readonly Confirmation[]} */
	#asked = [];

	/**
	 * @param {HTMLElement} log
	 * @param {HTMLElement} welcome shown while there is no message
	 * @param {HTMLElement} end what stays below the messages
	 */
	constructor(log, welcome, end) {
		this.#log = log;
		this.#welcome = welcome;
		this.#end = end;
		log.addEventListener('scroll', () => this.scrolled());
		// The card grows after it has appeared, and the window may be turned.
		const sizes = new ResizeObserver(() => this.#pin());
		sizes.observe(log);
		sizes.observe(end);
	}

	/** Looks whether the reader is at the end. */
	scrolled() {
		const { scrollTop, scrollHeight, clientHeight } = this.#log;
		// What has grown below since it was put there is nobody's scrolling.
		this.#pinned = scrollTop === this.#put.at ? this.#put.end : scrollHeight - scrollTop - clientHeight < 8;
	}

	/**
	 * Keeps the end in sight for a reader who was there. A question that is
	 * higher than the log begins at its top: it is to be read first.
	 */
	#pin() {
		if (!this.#pinned) return;
		const call = this.#asked.find((c) => c.state === 'pending')?.toolCallId ?? '';
		const tall = call !== this.#asking && this.#end.offsetHeight > this.#log.clientHeight;
		this.#log.scrollTop = this.#log.scrollHeight;
		if (tall) {
			this.#asking = call;
			this.#end.scrollIntoView({ block: 'start' });
		}
		this.#pinned = !tall;
		this.#put = { at: this.#log.scrollTop, end: this.#pinned };
	}

	/** Forgets everything, for another chat. */
	clear() {
		for (const { node } of this.#rows.values()) node.remove();
		this.#rows.clear();
		this.#shown = [];
		this.#pinned = true;
	}

	/**
	 * @param {readonly Message[]} messages
	 * @param {readonly Confirmation[]} confirmations
	 * @param {boolean} streaming
	 */
	show(messages, confirmations, streaming) {
		this.#welcome.hidden = messages.length > 0;
		if (messages !== this.#shown || confirmations !== this.#asked) this.#draw(messages, confirmations);
		this.#log.querySelector('.typing')?.classList.remove('typing');
		if (streaming) this.#log.querySelector('.message.assistant:last-of-type > .text:last-child')?.classList.add('typing');
		this.#pin();
	}

	/**
	 * @param {readonly Message[]} messages
	 * @param {readonly Confirmation[]} confirmations
	 */
	#draw(messages, confirmations) {
		const results = resultsOf(messages);
		const asked = new Map(confirmations.map((c) => [c.toolCallId, c]));
		const kept = new Set();
		const last = messages.findLast((message) => message.role !== 'tool');
		for (const message of messages) {
			const key = messageKey(message);
			kept.add(key);
			let row = this.#rows.get(key);
			if (row === undefined) {
				const node = document.createElement('article');
				this.#end.before(node);
				this.#rows.set(key, (row = { node, message: undefined }));
			}
			const changed = row.message !== message;
			row.message = message;
			if (changed) drawMessage(row.node, message);
			drawCalls(row.node, message, results, asked, message === last);
		}
		for (const [key, row] of this.#rows) {
			if (kept.has(key)) continue;
			row.node.remove();
			this.#rows.delete(key);
		}
		this.#shown = messages;
		this.#asked = confirmations;
	}
}

/**
 * @param {HTMLElement} node
 * @param {Message} message
 */
function drawMessage(node, message) {
	node.className = `message ${message.role}`;
	node.hidden = message.role === 'tool';
	const parts = message.parts.filter((part) => part.type !== 'tool-result');
	parts.forEach((part, i) => {
		let child = /** @type {HTMLElement | undefined} */ (node.children[i]);
		if (child === undefined || child.dataset.type !== part.type) {
			const made = makePart(part);
			if (child === undefined) node.append(made);
			else child.replaceWith(made);
			child = made;
		}
		if (part.type === 'text' || part.type === 'reasoning') appendText(child, part.text);
	});
	while (node.children.length > parts.length) node.lastElementChild?.remove();
}

/** @param {Part} part */
function makePart(part) {
	const node = document.createElement(part.type === 'text' || part.type === 'file' ? 'div' : 'details');
	node.dataset.type = part.type;
	if (part.type === 'text' || part.type === 'file') node.dir = 'auto';
	if (part.type === 'text') node.className = 'text';
	else if (part.type === 'file') node.textContent = part.name;
	else if (part.type === 'reasoning') {
		node.className = 'reasoning';
		const body = element('div', 'text');
		body.dir = 'auto';
		node.append(element('summary', '', 'Reasoning'), body);
	} else if (part.type === 'tool-call') {
		node.className = 'tool';
		node.dataset.call = part.toolCallId;
		const summary = element('summary', '');
		summary.append(element('span', 'dot'), element('span', 'name', part.toolName), element('bdi', 'brief', JSON.stringify(part.input).slice(0, 200)), element('span', 'state'));
		node.append(summary, element('pre', 'input', JSON.stringify(part.input, null, 2)), element('pre', 'output'));
	}
	return node;
}

/**
 * @param {HTMLElement} node
 * @param {string} text
 */
function appendText(node, text) {
	const target = node.matches('.text') ? node : /** @type {HTMLElement} */ (node.querySelector('.text'));
	const shown = /** @type {Text} */ (target.firstChild ?? target.appendChild(document.createTextNode('')));
	if (text.length > shown.length && text.startsWith(shown.data)) shown.appendData(text.slice(shown.length));
	else if (text !== shown.data) shown.data = text;
}

/**
 * @param {HTMLElement} node
 * @param {Message} message
 * @param {Map<string, any>} results
 * @param {Map<string, Confirmation>} asked
 * @param {boolean} latest no message came after it
 */
function drawCalls(node, message, results, asked, latest) {
	for (const part of message.parts) {
		if (part.type !== 'tool-call') continue;
		const row = [...node.children].find((child) => /** @type {HTMLElement} */ (child).dataset.call === part.toolCallId);
		if (!(row instanceof HTMLElement)) continue;
		const result = results.get(part.toolCallId);
		const state = stateOf(result, asked.get(part.toolCallId), part.confirmation === 'required', latest);
		row.dataset.state = state;
		/** @type {HTMLElement} */ (row.querySelector('.state')).textContent = words[state];
		const output = /** @type {HTMLElement} */ (row.querySelector('.output'));
		output.hidden = result === undefined;
		if (result !== undefined) output.textContent = JSON.stringify(result.output, null, 2);
	}
}

/**
 * @param {{output: any} | undefined} result
 * @param {Confirmation | undefined} confirmation
 * @param {boolean} required
 * @param {boolean} latest no message came after it
 * @returns {keyof typeof words}
 */
function stateOf(result, confirmation, required, latest) {
	if (result !== undefined) {
		if (result.output?.denied === true) return 'denied';
		return result.output?.success === false || result.output?.error ? 'failed' : 'done';
	}
	if (confirmation !== undefined) return unfinished[confirmation.state] ?? 'running';
	if (!latest) return 'none';
	return required ? 'waiting' : 'running';
}

/** @param {readonly Message[]} messages */
function resultsOf(messages) {
	/** @type {Map<string, any>} */
	const results = new Map();
	for (const message of messages) {
		for (const part of message.parts) if (part.type === 'tool-result') results.set(part.toolCallId, part);
	}
	return results;
}

/** @param {string} name @param {string} className @param {string} [text] */
function element(name, className, text) {
	const node = document.createElement(name);
	if (className) node.className = className;
	if (text !== undefined) node.textContent = text;
	return node;
}
