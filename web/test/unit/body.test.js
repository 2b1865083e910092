// How a body is read: small chunks of one turn of the event loop go together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBody } from '../../dist/http.js';

/** @param {(controller: ReadableStreamDefaultController<Uint8Array>) => void} start */
const body = (start) => new ReadableStream({ start });
const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
const text = (/** @type {Uint8Array} */ piece) => new TextDecoder().decode(piece);
const turn = () => new Promise((resolve) => setTimeout(resolve, 2));

test('the first chunk is taken at once, those of the same turn together, in order', async () => {
	/** @type {string[]} */
	const got = [];
	const all = 'abcdefghij'.split('');
	await readBody(body((c) => {
		for (const letter of all) c.enqueue(bytes(letter));
		c.close();
	}), (piece) => void got.push(text(piece)), new AbortController().signal);
	assert.deepEqual(got, ['a', 'bcdefghij']);
});

test('a chunk in a turn of its own is taken before the next comes', async () => {
	/** @type {string[]} */
	const got = [];
	/** @type {any} */
	let controller;
	const reading = readBody(body((c) => (controller = c)), (piece) => void got.push(text(piece)), new AbortController().signal);
	for (const letter of ['a', 'b', 'c']) {
		controller.enqueue(bytes(letter));
		await turn();
		assert.equal(got.at(-1), letter);
	}
	controller.enqueue(bytes('d'));
	controller.enqueue(bytes('e'));
	await turn();
	assert.deepEqual(got, ['a', 'b', 'c', 'd', 'e']);
	controller.close();
	await reading;
});

test('what was gathered counts when the body fails, and not when it is aborted', async () => {
	for (const how of ['error', 'abort']) {
		/** @type {string[]} */
		const got = [];
		const abort = new AbortController();
		let pulls = 0;
		const stream = new ReadableStream({
			pull(c) {
				if (pulls++ < 3) return c.enqueue(bytes(String(pulls)));
				if (how === 'error') return c.error(new Error('cut'));
				abort.abort();
			},
		}, { highWaterMark: 0 });
		const reading = readBody(stream, (piece) => void got.push(text(piece)), abort.signal);
		if (how === 'error') await assert.rejects(reading, { message: 'cut' });
		else await reading;
		await turn();
		assert.deepEqual(got, how === 'error' ? ['1', '23'] : ['1']);
	}
});

test('an error of the taker ends the reading, also after the turn', async () => {
	let calls = 0;
	/** @type {any} */
	let controller;
	const reading = readBody(body((c) => (controller = c)), () => {
		if (++calls === 2) throw new Error('lost');
	}, new AbortController().signal);
	controller.enqueue(bytes('a'));
	controller.enqueue(bytes('b'));
	await assert.rejects(reading, { message: 'lost' });
});

test('a body that has everything at once lets the page have a turn every few milliseconds', async () => {
	let longest = 0;
	let began = performance.now();
	let going = true;
	const look = () => {
		longest = Math.max(longest, performance.now() - began);
		began = performance.now();
		if (going) setImmediate(look);
	};
	setImmediate(look);
	const one = new Uint8Array(64 * 1024);
	let turns = 0;
	await readBody(body((c) => {
		for (let i = 0; i < 10; i++) c.enqueue(new Uint8Array(5 * one.length));
		c.close();
	}), (piece) => {
		assert.equal(piece.length, one.length);
		turns++;
		for (const end = performance.now() + 2; performance.now() < end;);
	}, new AbortController().signal);
	going = false;
	assert.equal(turns, 50);
	assert.ok(longest < 40, `a turn took ${longest} ms, of 100 in all`);
});
