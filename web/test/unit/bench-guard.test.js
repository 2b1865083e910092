// A guard for the ratios of make bench: it fails when one falls clearly below
// its goal (issue 6). CPU time and the least of several runs, so that a busy
// machine does not matter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { make } from '../../bench/contenders/ours.js';
import { reference } from '../../bench/contenders/reference.js';
import { chunks, deltas, frames, history } from '../../bench/workload.js';
import { load } from '../../dist/node.js';

const api = await load();

/** @param {import('../../bench/measure.js').Open} open @param {readonly Uint8Array[]} stream */
async function cost(open, stream) {
	const before = process.cpuUsage();
	await open.run(stream);
	const { user, system } = process.cpuUsage(before);
	open.close();
	return user + system;
}

/**
 * The least cost of each, by turns.
 *
 * @param {(() => Promise<number>)[]} works
 * @param {(least: number[]) => boolean} enough
 */
async function least(works, enough) {
	const best = works.map(() => Infinity);
	for (let round = 0; round < 12; round++) {
		for (const [i, work] of works.entries()) best[i] = Math.min(best[i], await work());
		if (round > 2 && enough(best)) break;
	}
	return best;
}

for (const { name, count, chunk, goal } of [
	{ name: '16 KiB chunks', count: 5_000, chunk: 16 * 1024, goal: 4 },
	{ name: 'one event a chunk', count: 3_000, chunk: /** @type {const} */ ('event'), goal: 1.5 },
]) {
	test(`${name}: at least half of ${goal} times the reference`, async () => {
		const stream = chunks(frames(deltas(count, 4), 'sveda'), chunk);
		const ratio = (/** @type {number[]} */ [ours, theirs]) => theirs / ours;
		const best = await least(
			[() => cost(make(api).open([]), stream), () => cost(reference.open([]), stream)],
			(costs) => ratio(costs) >= goal / 2,
		);
		assert.ok(ratio(best) >= goal / 2, `${ratio(best).toFixed(2)} times the reference`);
	});
}

test('a delta costs the same behind 2,000 messages', async () => {
	// By difference: sending 2,000 messages has a price of its own, once a turn.
	const [long, short] = [40_000, 10_000].map((n) => chunks(frames(deltas(n, 4), 'sveda'), 16 * 1024));
	const stored = history(2_000);
	const works = [stored, []].flatMap((before) => [long, short].map((stream) => () => cost(make(api).open(before), stream)));
	const ratio = (/** @type {number[]} */ [a, b, c, d]) => (a - b) / (c - d);
	const best = await least(works, (costs) => ratio(costs) <= 1.5);
	assert.ok(ratio(best) <= 3, `${ratio(best).toFixed(2)} times`);
});

test('twice the deltas cost twice', async () => {
	const streams = [4_000, 8_000].map((n) => chunks(frames(deltas(n, 4), 'sveda'), 16 * 1024));
	const best = await least(
		streams.map((stream) => () => cost(make(api).open([]), stream)),
		([one, two]) => two / one <= 2.2,
	);
	assert.ok(best[1] / best[0] <= 3.2, `${(best[1] / best[0]).toFixed(2)} times`);
});
