/**
 * Runs contenders by turns over the same workload. Timings on a shared machine
 * are noise; what is reported are ratios within one run, from medians of
 * alternating runs.
 *
 * @module
 */

import { chunks, frames } from './workload.js';

/**
 * @typedef {{run: (chunks: readonly Uint8Array[]) => Promise<number>, restore?: () => void, close: () => void}} Open
 * @typedef {{name: string, wire: import('./workload.js').Wire, open: (history: any[]) => Open, most?: number}} Contender
 *   `most`: events that it bears
 * @typedef {{name: string, median: number, spread: number}} Figure milliseconds; spread is (p90 - p10) / median
 */

/** @param {number[]} values */
export function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)];
}

/** @param {number[]} values */
function spread(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const at = (/** @type {number} */ q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
	return (at(0.9) - at(0.1)) / at(0.5);
}

/** Rounds that warm up and do not count: compilers of code that runs often need a few. */
const warmups = 3;

/**
 * Lets what is under way end and gives back what earlier work left behind, so
 * that nobody pays for the garbage of the one before. Needs --expose-gc.
 */
export async function settle() {
	await new Promise((resolve) => setTimeout(resolve));
	/** @type {any} */ (globalThis).gc?.();
	await new Promise((resolve) => setTimeout(resolve));
}

/**
 * Times each contender `rounds` times, one after the other in every round.
 *
 * @param {Contender[]} contenders
 * @param {{items: import('./workload.js').Item[], chunk: number | 'event', history?: any[], rounds?: number}} workload
 * @returns {Promise<Figure[]>}
 */
export async function compare(contenders, { items, chunk, history = [], rounds = 7 }) {
	/** @type {Map<string, Uint8Array[]>} */
	const streams = new Map();
	for (const { wire } of contenders) {
		if (!streams.has(wire)) streams.set(wire, chunks(frames(items, wire), chunk));
	}
	const length = items.reduce((sum, item) => sum + (item.kind === 'text' ? item.text.length : 0), 0);
	/** @type {Map<string, number[]>} */
	const times = new Map(contenders.map((c) => [c.name, []]));
	for (let round = -warmups; round < rounds; round++) {
		for (const contender of contenders) {
			const open = contender.open(history);
			await settle();
			const start = performance.now();
			const got = await open.run(/** @type {Uint8Array[]} */ (streams.get(contender.wire)));
			const time = performance.now() - start;
			open.close();
			if (got !== length) throw new Error(`${contender.name} has ${got} characters of ${length}`);
			if (round >= 0) /** @type {number[]} */ (times.get(contender.name)).push(time);
		}
	}
	return contenders.map(({ name }) => {
		const values = /** @type {number[]} */ (times.get(name));
		return { name, median: median(values), spread: spread(values) };
	});
}

/**
 * The least that any client must do with the bytes of a workload: decode them
 * once and parse the same data as one JSON text.
 *
 * @param {import('./workload.js').Item[]} items
 * @param {number} [rounds]
 */
export function floor(items, rounds = 7) {
	const events = frames(items, 'sveda').slice(0, -1).map((frame) => frame.slice(6, -2));
	const bytes = new TextEncoder().encode(`[${events.join(',')}]`);
	const decoder = new TextDecoder();
	const times = [];
	for (let round = 0; round <= rounds; round++) {
		const start = performance.now();
		JSON.parse(decoder.decode(bytes));
		times.push(performance.now() - start);
	}
	return median(times.slice(1));
}
