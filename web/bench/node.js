/** make bench, in Node. */

import { load } from '../dist/node.js';
import { abstractChat, eventsourceParser, fetchEventSource, tanstack } from './contenders/peers.js';
import { otherLines, ratioLines } from './goals.js';
import { printGoals, printRows } from './print.js';
import { measureRows } from './suite.js';

const api = await load();
const peers = [eventsourceParser, fetchEventSource, abstractChat, tanstack];
const results = await measureRows(api, peers, { progress: (name) => process.stderr.write(`  ${name}\n`) });
printRows(`Node ${process.versions.node}`, results);
const lines = [...ratioLines(results), ...(await otherLines(api))];
printGoals(`Node ${process.versions.node}`, lines);
const { rss, heapUsed } = process.memoryUsage();
console.log(`\n  memory at the end: ${(rss / 2 ** 20).toFixed(0)} MiB resident, ${(heapUsed / 2 ** 20).toFixed(0)} MiB JavaScript heap`);
process.exitCode = lines.every((line) => line.ok) ? 0 : 1;
