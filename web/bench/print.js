/** The tables of make bench. */

/** @param {number} value */
const number = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/**
 * @param {string} where
 * @param {Awaited<ReturnType<typeof import('./suite.js').measureRows>>} results
 */
export function printRows(where, results) {
	console.log(`\n${where}: milliseconds (median), and how many times ours is as fast\n`);
	for (const { row, figures, floor } of results) {
		const ours = figures[0];
		console.log(row.name);
		for (const figure of figures) {
			const ratio = figure === ours ? '' : `${number(figure.median / ours.median)}×`;
			const spread = `±${Math.round((figure.spread * 100) / 2)} %`;
			console.log(`  ${figure.name.padEnd(34)} ${number(figure.median).padStart(9)}  ${spread.padStart(6)}  ${ratio.padStart(8)}`);
		}
		console.log(`  ${'floor: one decode, one JSON.parse'.padEnd(34)} ${number(floor).padStart(9)}`);
	}
}

/**
 * @param {string} where
 * @param {{name: string, value: string, goal: string, ok: boolean}[]} lines
 */
export function printGoals(where, lines) {
	console.log(`\n${where}: goals\n`);
	for (const { name, value, goal, ok } of lines) {
		console.log(`  ${ok ? 'ok  ' : 'MISS'}  ${name.padEnd(52)} ${value.padStart(10)}   ${goal}`);
	}
}
