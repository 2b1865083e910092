/**
 * Helpers for messages that need no core.
 *
 * @module
 */

/**
 * @typedef {object} TextPart
 * @property {'text' | 'reasoning'} type
 * @property {string} text
 *
 * @typedef {object} ToolCallPart
 * @property {'tool-call'} type
 * @property {string} toolCallId
 * @property {string} toolName
 * @property {string} [toolset]
 * @property {'backend' | 'frontend'} target where the tool runs
 * @property {any} input parsed for convenience; `session.argumentsOf` has it exactly
 * @property {'required'} [confirmation] present when a person must decide
 *
 * @typedef {object} ToolResultPart
 * @property {'tool-result'} type
 * @property {string} toolCallId
 * @property {string} toolName
 * @property {any} output
 * @property {string} [renderHint]
 * @property {any} [renderData]
 *
 * @typedef {object} FilePart
 * @property {'file'} type
 * @property {string} name
 * @property {string} [mediaType]
 * @property {string} [url]
 *
 * @typedef {TextPart | ToolCallPart | ToolResultPart | FilePart} Part
 *
 * @typedef {object} Message one message (contract, 1.3)
 * @property {string} id
 * @property {'user' | 'assistant' | 'system' | 'tool'} role
 * @property {Part[]} parts
 * @property {any} [createdAt] as it was stored
 */

/**
 * The text of a message: its text parts joined (contract, section 3).
 *
 * @param {{parts?: readonly any[], content?: unknown}} message
 * @returns {string}
 */
export function messageText(message) {
	let text = '';
	for (const part of message.parts ?? []) if (part?.type === 'text') text += part.text ?? '';
	return text;
}

/**
 * A new id for a message, random and not made of the time (case B157).
 *
 * @returns {string} a version 4 UUID
 */
export function createMessageId() {
	// randomUUID is missing on pages that are neither https nor local.
	if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	bytes[6] = (bytes[6] & 0x0f) | 0x40;
	bytes[8] = (bytes[8] & 0x3f) | 0x80;
	const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** @type {WeakMap<object, number>} */
const keys = new WeakMap();

/**
 * A key for lists on the page: it stays when the message's id is replaced by
 * the server's (case B159).
 *
 * @param {object} message one of `session.messages`
 * @returns {number | undefined} undefined for another object
 */
export function messageKey(message) {
	return keys.get(message);
}

/**
 * @internal
 * @param {object} message
 * @param {number} key
 */
export function setMessageKey(message, key) {
	keys.set(message, key);
}
