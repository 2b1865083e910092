import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { FrameReader, Op } from '../../dist/frame.js';

const root = new URL('../../../', import.meta.url);
const golden = JSON.parse(await readFile(new URL('wasm/frame/testdata/frames.json', root), 'utf8'));

/** @param {string} hex */
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

test('ops are the same list in Go and JavaScript (habit 3)', () => {
	assert.deepEqual(Object.fromEntries(Object.entries(Op)), golden.ops);
});

for (const { name, hex, records } of golden.frames) {
	test(`golden frame: ${name}`, () => {
		const frame = new FrameReader().open(bytes(hex));
		const got = [];
		while (frame.more) {
			const op = frame.op();
			if (op < 33) got.push({ op, message: frame.int(), part: frame.int(), text: frame.text(), data: frame.text() });
			else if (op < 64) got.push(frame.effect(op));
			else got.push({ op, answer: frame.answer(op) });
		}
		assert.deepEqual(got, records);
	});
}

test('B080 text of any length and alphabet is read as it was written', () => {
	for (const text of ['', 'a', 'x'.repeat(24), 'x'.repeat(25), '北', 'a🌍b', 'ä'.repeat(200), '\u0000']) {
		const encoded = new TextEncoder().encode(text);
		const length = encoded.length < 128 ? [encoded.length] : [(encoded.length & 127) | 128, encoded.length >> 7];
		assert.equal(new FrameReader().open(Uint8Array.from([...length, ...encoded])).text(), text);
	}
});
