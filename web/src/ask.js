/**
 * Calls of entries that are not about one session.
 *
 * @module
 */

import { errorFrom } from './errors.js';
import { FrameReader, Op } from './frame.js';

const reader = new FrameReader();

/**
 * Calls an entry of a table.
 *
 * @param {import('./core.js').Core} core
 * @param {string} table
 * @param {string} name
 * @param {readonly number[]} numbers
 * @param {readonly (Uint8Array | string | undefined)[]} [fields] written before the call
 * @returns {any[]} the answers
 * @throws {import('./errors.js').SvedaError} the error that the entry answered
 */
export function ask(core, table, name, numbers, fields) {
	const frame = open(core, table, name, numbers, fields);
	const answers = [];
	while (frame.more) {
		const op = frame.op();
		const answer = frame.answer(op);
		if (op === Op.Error) throw errorFrom(answer);
		answers.push(answer);
	}
	return answers;
}

/**
 * Calls an entry whose answer is JSON, and gives the text.
 *
 * @type {(...call: Parameters<typeof ask>) => string}
 */
export function askText(core, table, name, numbers, fields) {
	const frame = open(core, table, name, numbers, fields);
	if (frame.op() === Op.Error) throw errorFrom(frame.answer(Op.Error));
	return frame.text();
}

/** @type {(...call: Parameters<typeof ask>) => FrameReader} */
function open(core, table, name, numbers, fields) {
	const length =
		fields === undefined
			? core.call(table, name, ...numbers)
			: core.call(table, name, ...numbers, core.writeFields(...fields));
	return reader.open(core.frame(length));
}
