/** make bench, in a page: bundled by chromium.js, which calls `bench`. */

import { Core } from '../dist/core.js';
import { load } from '../dist/index.js';
import { loadGo } from '../dist/wasm_exec.js';
import { abstractChat, eventsourceParser, fetchEventSource, tanstack } from './contenders/peers.js';
import { make } from './contenders/ours.js';
import { otherLines, ratioLines } from './goals.js';
import { settle } from './measure.js';
import { measureRows } from './suite.js';
import { chunks, deltas, frames } from './workload.js';

/** @param {string} url */
const fetchBytes = async (url) => (await fetch(url)).arrayBuffer();

/**
 * @template T
 * @param {(input: T) => Promise<unknown>} work
 * @param {() => T} prepare makes its input, outside of the time
 * @returns {Promise<number>} the least of several times, ms
 */
async function least(work, prepare) {
	let best = Infinity;
	for (let i = 0; i < 7; i++) {
		const input = prepare();
		await settle();
		const start = performance.now();
		await work(input);
		best = Math.min(best, performance.now() - start);
	}
	return best;
}

/** From the bytes to ready: ours, the bare runtime of Go, and ours from the kept module. */
async function startLines() {
	const [ours, bare] = await Promise.all([fetchBytes('/sveda.wasm'), fetchBytes('/bare.wasm')]);
	const startBare = async (/** @type {Uint8Array<ArrayBuffer>} */ bytes) => {
		const Go = loadGo(Object.create(null));
		const go = new Go();
		void go.run(await WebAssembly.instantiate(await WebAssembly.compile(bytes), go.importObject));
	};
	// A copy with other bytes at its end each time: Chromium keeps compiled code by content.
	let salt = 0;
	const salted = (/** @type {ArrayBuffer} */ bytes) => {
		const name = `s${salt++}`;
		const section = [0, name.length + 1, name.length, ...new TextEncoder().encode(name)];
		const copy = new Uint8Array(bytes.byteLength + section.length);
		copy.set(new Uint8Array(bytes));
		copy.set(section, bytes.byteLength);
		return copy;
	};
	const cold = await least(async (bytes) => Core.start(await WebAssembly.compile(bytes)), () => salted(ours));
	const coldBare = await least(startBare, () => salted(bare));
	const module = await WebAssembly.compile(ours);
	const again = await least(() => Core.start(module), () => {});
	return [
		{ name: 'bytes to ready, ms', value: cold.toFixed(1), goal: 'at most 100', ok: cold <= 100 },
		{ name: 'bytes to ready / bare Go runtime', value: (cold / coldBare).toFixed(2), goal: 'at most 2', ok: cold / coldBare <= 2 },
		{ name: 'cold start / start from the kept module', value: (cold / again).toFixed(1), goal: 'at least 5', ok: cold / again >= 5 },
	];
}

/** The longest task that the page sees while 20,000 deltas come in 64 KiB chunks. */
async function longestTask(/** @type {any} */ api) {
	let longest = 0;
	const observer = new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
	});
	const open = make(api).open([]);
	const list = chunks(frames(deltas(20_000, 4), 'sveda'), 64 * 1024);
	await settle(); // the task of what was measured before is not ours
	observer.observe({ type: 'longtask' });
	await open.run(list);
	await new Promise((resolve) => setTimeout(resolve, 100));
	observer.disconnect();
	open.close();
	return longest;
}

const memory = () => /** @type {any} */ (performance).memory?.usedJSHeapSize ?? 0;

/** @param {string | undefined} only a word that the name of a row must hold */
export async function bench(only) {
	const starts = await startLines();
	const api = await load({ wasmURL: '/sveda.wasm' });
	const rest = memory();
	const peers = [eventsourceParser, fetchEventSource, abstractChat, tanstack];
	let peak = rest;
	const results = await measureRows(api, peers, {
		pick: (row) => only === undefined || row.name.includes(only),
		progress: (name) => {
			peak = Math.max(peak, memory());
			console.log(name);
		},
	});
	peak = Math.max(peak, memory());
	console.log('goals');
	const lines = [...starts, ...ratioLines(results), ...(await otherLines(api))];
	console.log('the longest task');
	const longest = await longestTask(api);
	lines.push({
		name: 'longest task over 50 ms while 64 KiB chunks stream, ms', value: longest.toFixed(0), goal: 'none', ok: longest === 0,
	});
	return { results: results.map(({ row, ...others }) => ({ row: { name: row.name, goal: row.goal }, ...others })), lines, rest, peak };
}
