/**
 * What make bench measures, as data, and how it is printed. It runs the same in
 * Node and in a page.
 *
 * @module
 */

import { make } from './contenders/ours.js';
import { reference } from './contenders/reference.js';
import { compare, floor, median } from './measure.js';
import { calls, chunks, deltas, frames, history, largeCall } from './workload.js';

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {() => import('./workload.js').Item[]} items
 * @property {number | 'event'} chunk
 * @property {number} [history]
 * @property {number} [goal] at least this many times as fast as the reference
 * @property {string[]} [only] the contenders that can take part in bearable time
 * @property {string[]} [also] contenders that take part although it is more than they bear (`most`)
 * @property {number} [rounds]
 */

const KiB = 1024;

/** @type {Row[]} */
export const rows = [
	{ name: '20,000 × 4 characters, one event a chunk', items: () => deltas(20_000, 4), chunk: 'event', goal: 1.5 },
	{ name: '20,000 × 4 characters, 1 KiB', items: () => deltas(20_000, 4), chunk: KiB, goal: 1.5 },
	{ name: '20,000 × 4 characters, 16 KiB', items: () => deltas(20_000, 4), chunk: 16 * KiB, goal: 4, also: ['AI SDK AbstractChat'], rounds: 3 },
	{ name: '20,000 × 4 characters, 64 KiB', items: () => deltas(20_000, 4), chunk: 64 * KiB, goal: 4 },
	{ name: '1,000 × 64 characters, 16 KiB', items: () => deltas(1_000, 64), chunk: 16 * KiB, goal: 4 },
	{ name: '20,000 × 64 characters, 16 KiB', items: () => deltas(20_000, 64), chunk: 16 * KiB, goal: 4 },
	{ name: '100,000 × 4 characters, 16 KiB', items: () => deltas(100_000, 4), chunk: 16 * KiB, goal: 4, rounds: 3, only: ['svedawasm', 'reference', 'eventsource-parser + JSON.parse', 'fetch-event-source + JSON.parse'] },
	{ name: '5,000 × 4 characters, 16 KiB, 200 messages before', items: () => deltas(5_000, 4), chunk: 16 * KiB, history: 200, goal: 4 },
	{ name: '5,000 × 4 characters, 16 KiB, 5,000 messages before', items: () => deltas(5_000, 4), chunk: 16 * KiB, history: 5_000, goal: 4, rounds: 3 },
	{ name: '500 tool calls with results, 16 KiB', items: () => calls(500), chunk: 16 * KiB },
	{ name: 'one call with 1 MiB of arguments, 64 KiB', items: () => largeCall(1024 * KiB), chunk: 64 * KiB },
];

/**
 * Measures every row.
 *
 * @param {any} api the loaded package
 * @param {import('./measure.js').Contender[]} peers
 * @param {{rounds?: number, pick?: (row: Row) => boolean, progress?: (text: string) => void}} [options]
 */
export async function measureRows(api, peers, { rounds, pick = () => true, progress = () => {} } = {}) {
	const all = [make(api), reference, ...peers];
	const results = [];
	for (const row of rows.filter(pick)) {
		progress(row.name);
		const items = row.items();
		const figures = await compare(
			all.filter((c) => takesPart(c, row, items.length)),
			{ items, chunk: row.chunk, history: history(row.history ?? 0), rounds: rounds ?? row.rounds ?? 5 },
		);
		results.push({ row, figures, floor: floor(items) });
	}
	return results;
}

/**
 * A client whose time grows with the square of the answer is left out where one
 * run would take a minute.
 *
 * @param {import('./measure.js').Contender} contender
 * @param {Row} row
 * @param {number} events
 */
function takesPart({ name, most = Infinity }, { only, also }, events) {
	return (!only || only.includes(name)) && (events <= most || (also?.includes(name) ?? false));
}

/**
 * time(2n) / time(n) of each kind of work, of the medians: 2 is linear.
 *
 * @param {any} api
 */
export async function linearity(api) {
	const kinds = [
		{ name: 'text deltas', items: (/** @type {number} */ n) => deltas(40_000 * n, 4), chunk: 16 * KiB },
		{ name: 'text deltas, one event a chunk', items: (/** @type {number} */ n) => deltas(10_000 * n, 4), chunk: /** @type {const} */ ('event') },
		{ name: 'tool calls', items: (/** @type {number} */ n) => calls(1_000 * n), chunk: 16 * KiB },
		{ name: 'bytes of arguments', items: (/** @type {number} */ n) => largeCall(512 * KiB * n), chunk: 64 * KiB },
	];
	const out = [];
	for (const kind of kinds) {
		const times = /** @type {number[][]} */ ([[], []]);
		for (let round = 0; round < 11; round++) {
			for (const n of [1, 2]) {
				const [figure] = await compare([make(api)], { items: kind.items(n), chunk: kind.chunk, rounds: 1 });
				times[n - 1].push(figure.median);
			}
		}
		out.push({ name: kind.name, ratio: median(times[1]) / median(times[0]) });
	}
	return out;
}

/**
 * The cost of a delta with 5,000 messages before it, over that with none. It is
 * taken from the difference of a long and a short answer, because to send with
 * 5,000 messages costs once what no delta costs.
 *
 * @param {any} api
 */
export async function historyCost(api) {
	const streams = [10_000, 40_000].map((n) => chunks(frames(deltas(n, 4), 'sveda'), 16 * KiB));
	const perDelta = [];
	for (const count of [5_000, 0]) {
		const best = [Infinity, Infinity];
		for (let round = 0; round < 6; round++) {
			for (const [i, stream] of streams.entries()) {
				const open = make(api).open(history(count));
				const start = performance.now();
				await open.run(stream);
				best[i] = Math.min(best[i], performance.now() - start);
				open.close();
			}
		}
		perDelta.push(best[1] - best[0]);
	}
	return perDelta[0] / perDelta[1];
}

/**
 * Milliseconds from the last byte of a confirming call to its notification, with
 * 1 MiB of text queued before it.
 *
 * @param {any} api
 */
export async function confirmationDelay(api) {
	const encoder = new TextEncoder();
	const text = frames(deltas(16_000, 64), 'sveda').slice(0, -2);
	const call = 'data: {"type":"tool.call","toolCallId":"c1","toolName":"delete_post","target":"backend","input":{"post_id":1},"confirmation":"required"}\n\n';
	const before = chunks(text, 64 * KiB);
	const delays = [];
	for (let round = 0; round < 7; round++) {
		/** @type {ReadableStreamDefaultController<Uint8Array> | undefined} */
		let controller;
		const session = new api.SvedaChatSession(`chat_${round}`, {
			endpoints: { stream: 'http://localhost/sveda/stream' },
			fetchFn: async () => new Response(new ReadableStream({ start: (c) => void (controller = c) }), { headers: { 'content-type': 'text/event-stream' } }),
		});
		let sent = 0;
		const seen = new Promise((resolve) => {
			session.subscribe(() => session.confirmationPending && resolve(performance.now() - sent));
		});
		const turn = session.send('go');
		while (!controller) await new Promise((resolve) => setTimeout(resolve));
		for (const chunk of before) controller.enqueue(chunk);
		while ((controller.desiredSize ?? 0) < 0) await new Promise((resolve) => setTimeout(resolve, 1));
		sent = performance.now();
		controller.enqueue(encoder.encode(call));
		delays.push(/** @type {number} */ (await seen));
		controller.enqueue(encoder.encode('data: {"type":"message.end"}\n\ndata: [DONE]\n\n'));
		controller.close();
		await turn;
		session.close();
	}
	return median(delays.slice(1));
}

/**
 * The longest single step that one chunk of 64 KiB takes, ms: no chunk may hold
 * a page for longer than a frame.
 *
 * @param {any} api
 */
export async function longestStep(api) {
	const stream = chunks(frames(deltas(20_000, 4), 'sveda'), 64 * KiB);
	let longest = 0;
	let last = 0;
	const list = stream.map((chunk) => chunk);
	const body = new ReadableStream({
		pull(controller) {
			const now = performance.now();
			if (last) longest = Math.max(longest, now - last);
			const chunk = list.shift();
			if (chunk) controller.enqueue(chunk);
			else controller.close();
			last = performance.now();
		},
	}, { highWaterMark: 0 });
	const session = new api.SvedaChatSession('chat_1', {
		endpoints: { stream: 'http://localhost/sveda/stream' },
		fetchFn: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
	});
	session.subscribe(() => session.getSnapshot());
	await session.send('go');
	session.close();
	return longest;
}

/**
 * Restoring 5,000 messages, ms.
 *
 * @param {any} api
 */
export function restoreTime(api) {
	const stored = history(5_000);
	const times = [];
	for (let round = 0; round < 7; round++) {
		const session = new api.SvedaChatSession('chat_1', { endpoints: { stream: 'http://localhost/sveda/stream' } });
		const start = performance.now();
		session.setMessages(stored);
		times.push(performance.now() - start);
		session.close();
	}
	return median(times.slice(1));
}
