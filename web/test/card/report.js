/**
 * The generated tables of docs/card.md. After all engines have run,
 *
 *	node web/test/card/report.js
 *
 * takes their results from the tests' output into results.json and writes the
 * tables.
 *
 * @module
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { themeTable } from '../../src/card/theme.js';
import { all } from './cases/all.js';
import { statements } from './statements.js';

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const engines = /** @type {const} */ (['chromium', 'firefox', 'webkit']);
const names = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKit' };

/** @typedef {Record<string, Record<string, string>>} Results by case and engine: `passed`, or why not */

/** @returns {Results} */
function kept() {
	return JSON.parse(readFileSync(here('./results.json'), 'utf8'));
}

/** Results of the last runs, as far as they are there. @returns {Results} */
function collect() {
	/** @type {Results} */
	const results = {};
	for (const { name } of all) results[name] = {};
	for (const engine of engines) {
		const file = here(`../output/card/results-${engine}.json`);
		if (!existsSync(file)) throw new Error(`no results of ${engine}: run node --test web/test/card/${engine}.test.js`);
		for (const { name, ok, why } of JSON.parse(readFileSync(file, 'utf8'))) {
			if (!results[name]) continue;
			results[name][engine] = ok ? (why ? `passed, but ${why}` : 'passed') : `not run: ${why ?? 'it failed'}`;
		}
	}
	return results;
}

/** Names of the tests that need no browser. */
function unitNames() {
	return [...readFileSync(here('./unit.test.js'), 'utf8').matchAll(/^test\('([^']+)'/gm)].map(([, name]) => name);
}

/** @param {string} name */
const numbersOf = (name) => (/^((?:[A-Z]+\d+ )+)/.exec(name)?.[1] ?? '').trim().split(' ').filter(Boolean);

/** @param {Results} results */
function statementTable(results) {
	const units = unitNames();
	/** Engines by what they cannot show. @type {Map<string, Set<string>>} */
	const notes = new Map();
	const note = (/** @type {string} */ text, /** @type {string} */ engine) => {
		notes.set(text, (notes.get(text) ?? new Set()).add(names[/** @type {'chromium'} */ (engine)]));
		return [...notes.keys()].indexOf(text) + 1;
	};
	const rows = statements.map(([number, words, elsewhere]) => {
		const cases = Object.entries(results).filter(([name]) => numbersOf(name).includes(number));
		const tests = units.filter((name) => numbersOf(name).includes(number)).length;
		const cells = engines.map((engine) => {
			const states = cases.map(([, result]) => result[engine]).filter(Boolean);
			const passed = states.filter((state) => state.startsWith('passed')).length;
			const marks = [...new Set(states.filter((state) => state !== 'passed').map((state) => note(state.replace(/^(passed, but|not run:) /, ''), engine)))];
			if (states.length === 0) return '';
			return `${passed} of ${states.length}${marks.length > 0 ? ` (${marks.map((n) => `note ${n}`).join(', ')})` : ''}`;
		});
		return `| ${number} | ${words} | ${cells.join(' | ')} | ${tests || ''} | ${elsewhere ?? ''} |`;
	});
	return [
		'| | statement | Chromium | Firefox | WebKit | Node | shown elsewhere |', '|---|---|---|---|---|---|---|', ...rows, '',
		...[...notes].map(([text, where], i) => `${i + 1}. ${[...where].join(', ')}: ${text}`),
	].join('\n');
}

/** The tables by the names of their places in docs/card.md. */
export function tables() {
	return { 'theme table': themeTable(), 'statement table': statementTable(kept()) };
}

/** Cases without a result, and results without a case. */
export function stale() {
	const names = new Set(all.map(({ name }) => name));
	const results = kept();
	return [...[...names].filter((name) => !results[name]), ...Object.keys(results).filter((name) => !names.has(name))];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	writeFileSync(here('./results.json'), `${JSON.stringify(collect(), null, '\t')}\n`);
	const docs = here('../../../docs/card.md');
	let text = readFileSync(docs, 'utf8');
	for (const [name, table] of Object.entries(tables())) {
		text = text.replace(new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`), () => `<!-- ${name} -->\n${table}\n<!-- /${name} -->`);
	}
	writeFileSync(docs, text);
}
