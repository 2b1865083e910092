/**
 * Messages as a page shows them before the core is there: text, and what became
 * of each call. Nothing here can be decided on: no ids of calls, no arguments,
 * no buttons.
 *
 * @module
 */

import { deepFreeze } from './json.js';

/**
 * @import { Message } from './message.js'
 *
 * @typedef {object} DisplayText
 * @property {'text' | 'reasoning'} type
 * @property {string} text
 *
 * @typedef {object} DisplayFile
 * @property {'file'} type
 * @property {string} name
 *
 * @typedef {object} DisplayTool a call
 * @property {'tool'} type
 * @property {string} toolName
 * @property {CallState} state `waiting`: no result yet, and a person was to be
 *   asked; `unfinished`: no result yet
 *
 * @typedef {'waiting' | 'unfinished' | 'done' | 'failed' | 'denied'} CallState
 * @typedef {DisplayText | DisplayFile | DisplayTool} DisplayPart
 *
 * @typedef {object} DisplayMessage
 * @property {string} id
 * @property {'user' | 'assistant' | 'system'} role
 * @property {readonly DisplayPart[]} parts
 * @property {boolean} cut whether something of it was left out
 */

/** How many messages there are at most: the last ones. */
export const displayMessages = 50;

/** How long the texts and names of one message are together at most, in UTF-16 code units. */
export const displayText = 4096;

/** How many parts of one message there are at most: the first ones. */
const displayParts = 64;

const roles = ['user', 'assistant', 'system'];
const callStates = ['waiting', 'unfinished', 'done', 'failed', 'denied'];

/** What was made of a message, with its calls in these states. @type {WeakMap<object, {states: string, shown: DisplayMessage}>} */
const known = new WeakMap();

/**
 * What to show of messages of a session or of a server. A message that is the
 * same object, with its calls where they were, is not made again.
 *
 * @param {readonly Message[]} messages
 * @returns {readonly DisplayMessage[]} plain, frozen
 */
export function displayOf(messages) {
	const last = messages.slice(-displayMessages);
	/** @type {Map<string, any>} */
	const outputs = new Map();
	for (const message of last) {
		for (const part of partsOf(message)) if (part?.type === 'tool-result') outputs.set(part.toolCallId, part.output);
	}
	/** @type {DisplayMessage[]} */
	const shown = [];
	for (const message of last) {
		if (message.role === 'tool') continue;
		const parts = partsOf(message);
		const states = parts.map((part) => (part?.type === 'tool-call' ? callState(part, outputs) : '')).join();
		let made = known.get(message);
		if (made?.states !== states) {
			const all = parts.flatMap((part) => displayPart(part, outputs));
			made = { states, shown: bounded(String(message.id ?? ''), message.role, all) };
			known.set(message, made);
		}
		shown.push(/** @type {NonNullable<typeof made>} */ (made).shown);
	}
	return deepFreeze(shown);
}

/**
 * @param {{parts?: unknown, content?: unknown}} message a server's may have its text alone
 * @returns {readonly any[]}
 */
function partsOf({ parts, content }) {
	if (Array.isArray(parts)) return parts;
	return typeof content === 'string' ? [{ type: 'text', text: content }] : [];
}

/**
 * @param {any} part
 * @param {Map<string, any>} outputs
 * @returns {DisplayPart[]}
 */
function displayPart(part, outputs) {
	switch (part?.type) {
		case 'text':
		case 'reasoning':
			return [{ type: part.type, text: String(part.text ?? '') }];
		case 'file':
			return [{ type: 'file', name: String(part.name ?? '') }];
		case 'tool-call':
			return [{ type: 'tool', toolName: String(part.toolName ?? ''), state: callState(part, outputs) }];
	}
	return [];
}

/**
 * @param {any} call
 * @param {Map<string, any>} outputs
 * @returns {CallState}
 */
function callState({ toolCallId, confirmation }, outputs) {
	if (!outputs.has(toolCallId)) return confirmation === 'required' ? 'waiting' : 'unfinished';
	const output = outputs.get(toolCallId);
	if (output?.denied === true) return 'denied';
	return output?.success === false || output?.error ? 'failed' : 'done';
}

/**
 * Checks what was stored. It is not trusted: a field of another kind, or of none
 * that is known, makes it all unreadable.
 *
 * @param {unknown} stored
 * @returns {readonly DisplayMessage[] | undefined} within the bounds, frozen
 */
export function readDisplay(stored) {
	if (!Array.isArray(stored) || stored.length > displayMessages) return undefined;
	/** @type {DisplayMessage[]} */
	const shown = [];
	for (const message of stored) {
		const { id, role, parts, cut } = message ?? {};
		if (typeof id !== 'string' || !roles.includes(role) || !Array.isArray(parts) || !parts.every(isPart)) return undefined;
		const made = bounded(id, role, parts.map(bare));
		shown.push(cut === true ? { ...made, cut } : made);
	}
	return deepFreeze(shown);
}

/**
 * @param {any} part
 * @returns {part is DisplayPart}
 */
function isPart(part) {
	switch (part?.type) {
		case 'text':
		case 'reasoning':
			return typeof part.text === 'string';
		case 'file':
			return typeof part.name === 'string';
		case 'tool':
			return typeof part.toolName === 'string' && callStates.includes(part.state);
	}
	return false;
}

/**
 * The known fields alone.
 *
 * @param {DisplayPart} part
 * @returns {DisplayPart}
 */
function bare(part) {
	if (part.type === 'file') return { type: 'file', name: part.name };
	if (part.type === 'tool') return { type: 'tool', toolName: part.toolName, state: part.state };
	return { type: part.type, text: part.text };
}

/**
 * @param {string} id
 * @param {DisplayMessage['role']} role
 * @param {readonly DisplayPart[]} parts
 * @returns {DisplayMessage}
 */
function bounded(id, role, parts) {
	let left = displayText;
	let cut = parts.length > displayParts;
	const take = (/** @type {string} */ text) => {
		const kept = start(text, left);
		left -= kept.length;
		cut ||= kept.length < text.length;
		return kept;
	};
	const kept = parts.slice(0, displayParts).map((part) => {
		if (part.type === 'file') return { ...part, name: take(part.name) };
		return part.type === 'tool' ? { ...part, toolName: take(part.toolName) } : { ...part, text: take(part.text) };
	});
	return { id: start(id, 256), role, parts: kept, cut };
}

/**
 * The start of a text, never half of a surrogate pair.
 *
 * @param {string} text
 * @param {number} length
 */
function start(text, length) {
	if (text.length <= length) return text;
	const last = text.charCodeAt(length - 1);
	return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
