/** make bench, in Node. ROW is a word that the name of a row must hold. */

import { load } from '../dist/node.js';
import { abstractChat, eventsourceParser, fetchEventSource, tanstack } from './contenders/peers.js';
import { otherLines, ratioLines } from './goals.js';
import { printGoals, printRows } from './print.js';
import { measureRows } from './suite.js';

const api = await load();
const peers = [eventsourceParser, fetchEventSource, abstractChat, tanstack];
const rest = process.memoryUsage();
let peak = rest.rss;
const results = await measureRows(api, peers, {
	pick: (row) => row.name.includes(process.env.ROW ?? ''),
	progress: (name) => {
		peak = Math.max(peak, process.memoryUsage().rss);
		process.stderr.write(`  ${name}\n`);
	},
});
printRows(`Node ${process.versions.node}`, results);
const lines = [...ratioLines(results), ...(await otherLines(api))];
printGoals(`Node ${process.versions.node}`, lines);
peak = Math.max(peak, process.memoryUsage().rss);
const MiB = (/** @type {number} */ bytes) => (bytes / 2 ** 20).toFixed(0);
console.log(`\n  resident memory: ${MiB(rest.rss)} MiB at rest, ${MiB(peak)} MiB at most between rows`);
process.exitCode = lines.every((line) => line.ok) ? 0 : 1;
