import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameReader, Op } from '../../dist/frame.js';
import { messageKey } from '../../dist/message.js';
import { View } from '../../dist/view.js';

const encoder = new TextEncoder();

/** @param {number} n */
function varint(n) {
	const out = [];
	for (; n >= 128; n = Math.floor(n / 128)) out.push((n % 128) | 128);
	return [...out, n];
}

/**
 * @param {View} view
 * @param {number} op
 * @param {{message?: number, part?: number, text?: string, data?: unknown}} fields
 */
function apply(view, op, { message = 0, part = 0, text = '', data = '' }) {
	const json = encoder.encode(typeof data === 'string' ? data : JSON.stringify(data));
	const name = encoder.encode(text);
	const bytes = [...varint(message), ...varint(part), ...varint(name.length), ...name, ...varint(json.length), ...json];
	return view.apply(op, new FrameReader().open(Uint8Array.from(bytes)));
}

/** @param {View} view @param {string} id @param {any[]} [parts] */
const add = (view, id, parts = []) => apply(view, Op.MessageAdd, { data: { id, role: 'assistant', parts } });

test('what does not change keeps its identity', () => {
	const view = new View();
	add(view, 'a', [{ type: 'text', text: 'one' }]);
	add(view, 'b', [{ type: 'reasoning', text: 'r' }, { type: 'text', text: '' }]);
	const before = view.messages;
	assert.equal(view.messages, before, 'nothing changed');
	apply(view, Op.PartText, { message: 1, part: 1, data: 'hello' });
	const after = view.messages;
	assert.notEqual(after, before);
	assert.equal(after[0], before[0]);
	assert.notEqual(after[1], before[1]);
	assert.equal(after[1].parts[0], before[1].parts[0]);
	assert.equal(after[1].parts[1].text, 'hello');
	assert.equal(before[1].parts[1].text, '', 'what was given out never changes');
});

test('appends between two reads copy once and lose nothing', () => {
	const view = new View();
	add(view, 'a', [{ type: 'text', text: '' }, { type: 'text', text: '' }]);
	for (const [part, data] of [[0, 'a'], [1, 'x'], [0, 'b'], [1, 'y']]) apply(view, Op.PartText, { part: Number(part), data });
	const first = view.messages[0];
	assert.deepEqual(first.parts.map((/** @type {any} */ p) => p.text), ['ab', 'xy']);
	apply(view, Op.PartText, { part: 0, data: 'c' });
	assert.deepEqual(view.messages[0].parts.map((/** @type {any} */ p) => p.text), ['abc', 'xy']);
	assert.deepEqual(first.parts.map((/** @type {any} */ p) => p.text), ['ab', 'xy']);
});

test('B159 a message keeps its key when the server gives it another id', () => {
	const view = new View();
	add(view, 'local');
	const [before] = view.messages;
	apply(view, Op.MessageID, { message: 0, text: 'server' });
	const [after] = view.messages;
	assert.equal(after.id, 'server');
	assert.equal(before.id, 'local');
	assert.equal(messageKey(after), messageKey(before));
	assert.notEqual(messageKey(after), undefined);
});

test('messages that are removed, reset and added again are the right ones', () => {
	const view = new View();
	add(view, 'a');
	add(view, 'b');
	assert.equal(view.messages.length, 2);
	apply(view, Op.MessageRemove, { message: 1 });
	add(view, 'c');
	assert.deepEqual(view.messages.map((m) => m.id), ['a', 'c']);
	apply(view, Op.MessagesReset, {});
	add(view, 'd');
	add(view, 'e');
	assert.deepEqual(view.messages.map((m) => m.id), ['d', 'e']);
});

test('B097 ids such as __proto__ are ids', () => {
	const view = new View();
	apply(view, Op.ConfirmationSet, { data: '{"toolCallId":"__proto__","state":"pending"}' });
	apply(view, Op.ConfirmationSet, { data: '{"toolCallId":"constructor","state":"pending"}' });
	assert.deepEqual(view.confirmations.map((c) => c.toolCallId), ['__proto__', 'constructor']);
	assert.equal(/** @type {any} */ ({}).state, undefined);
});

test('B162 the cost of a delta does not depend on the length of the history', () => {
	const cost = (/** @type {number} */ history) => {
		const view = new View();
		for (let i = 0; i < history; i++) add(view, `m${i}`, [{ type: 'text', text: 'x' }]);
		view.messages;
		const frames = [];
		const data = encoder.encode('word ');
		for (let i = 0; i < 4000; i++) {
			frames.push(Uint8Array.from([...varint(history - 1), 0, 0, data.length, ...data]));
		}
		let best = Infinity;
		for (let round = 0; round < 5; round++) {
			const start = performance.now();
			for (const frame of frames) view.apply(Op.PartText, new FrameReader().open(frame));
			best = Math.min(best, performance.now() - start);
		}
		return best;
	};
	cost(10);
	const [short, long] = [cost(10), cost(5000)];
	assert.ok(long < short * 3 + 1, `4000 deltas: ${short.toFixed(2)} ms with 10 messages, ${long.toFixed(2)} ms with 5000`);
});
