/**
 * The goals of the project as ratios, judged on what the suite measured.
 *
 * @module
 */

import { confirmationDelay, historyCost, linearity, longestStep, restoreTime } from './suite.js';

/**
 * @typedef {{name: string, value: string, goal: string, ok: boolean}} Line
 */

/**
 * @param {Awaited<ReturnType<typeof import('./suite.js').measureRows>>} results
 * @returns {Line[]}
 */
export function ratioLines(results) {
	const lines = [];
	for (const { row, figures } of results) {
		const [ours, reference] = figures;
		if (row.goal) lines.push(atLeast(`reference: ${row.name}`, reference.median / ours.median, row.goal));
		const chat = figures.find((figure) => figure.name === 'AI SDK AbstractChat');
		if (chat && row.name.startsWith('20,000 × 4 characters, 16 KiB')) {
			lines.push(atLeast(`AbstractChat: ${row.name}`, chat.median / ours.median, 20));
		}
	}
	return lines;
}

/**
 * @param {any} api
 * @returns {Promise<Line[]>}
 */
export async function otherLines(api) {
	const lines = [];
	for (const { name, ratio } of await linearity(api)) lines.push(atMost(`time(2n) / time(n): ${name}`, ratio, 2.2));
	lines.push(atMost('delta with 5,000 messages before / with none', await historyCost(api), 1.5));
	lines.push(atMost('confirming call to notification, ms', await confirmationDelay(api), 5));
	lines.push(atMost('longest step of a 64 KiB chunk, ms', await longestStep(api), 16));
	lines.push({ name: 'restore of 5,000 messages, ms', value: restoreTime(api).toFixed(1), goal: '', ok: true });
	return lines;
}

/** @param {string} name @param {number} value @param {number} goal @returns {Line} */
function atLeast(name, value, goal) {
	return { name, value: `${value.toFixed(2)}×`, goal: `at least ${goal}×`, ok: value >= goal };
}

/** @param {string} name @param {number} value @param {number} goal @returns {Line} */
function atMost(name, value, goal) {
	return { name, value: value.toFixed(2), goal: `at most ${goal}`, ok: value <= goal };
}
