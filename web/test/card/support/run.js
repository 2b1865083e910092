/**
 * Runs the card's cases in one engine and keeps what passed where, for the
 * table of docs/card.md.
 *
 * @module
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { launch, missing } from './browser.js';
import { startServer, web } from './server.js';

/**
 * @typedef {import('./browser.js').Engine} Engine
 * @typedef {import('./browser.js').Page} Page
 *
 * @typedef {object} Context
 * @property {Page} page open on the test page, `kit` at hand
 * @property {Engine} engine
 * @property {string} origin
 * @property {(path: string) => Promise<void>} open another page
 * @property {(name: string) => string} picture file for a screenshot
 * @property {(selector: string, options?: {count?: number}) => Promise<void>} click by a real pointer
 * @property {(what: string) => void} limits says what this engine cannot show
 *
 * @typedef {object} Case
 * @property {string} name begins with the numbers of the statements that it proves
 * @property {readonly Engine[]} [engines] where it runs, if not everywhere
 * @property {string} [why] what the other engines cannot show
 * @property {(context: Context) => Promise<void>} run
 */

export const output = join(web, 'test/output/card');

/**
 * @param {Engine} engine
 * @param {readonly Case[]} cases
 */
export function runCases(engine, cases) {
	const skip = missing(engine);
	describe(`card in ${engine}`, { skip: skip ?? false, timeout: 900_000 }, () => {
		/** @type {import('./browser.js').Browser} */
		let browser;
		/** @type {Awaited<ReturnType<typeof startServer>>} */
		let server;
		/** @type {{name: string, engine: Engine, ok: boolean, why?: string}[]} */
		const results = [];
		const only = process.env.CARD_ONLY; // a part of a name, to run some
		before(async () => {
			mkdirSync(output, { recursive: true });
			server = await startServer();
			browser = await launch(engine);
		});
		after(async () => {
			if (!only) writeFileSync(join(output, `results-${engine}.json`), `${JSON.stringify(results, null, 1)}\n`);
			await browser?.close();
			await server?.close();
		});
		for (const entry of cases) {
			const here = !entry.engines || entry.engines.includes(engine);
			if (!here || (only && !entry.name.includes(only))) {
				if (!here) results.push({ name: entry.name, engine, ok: false, why: entry.why ?? 'not shown in this engine' });
				continue;
			}
			test(entry.name, { timeout: 180_000 }, async () => {
				const record = { name: entry.name, engine, ok: false, why: /** @type {string | undefined} */ (undefined) };
				results.push(record);
				const page = await browser.page();
				const open = async (/** @type {string} */ path) => {
					await page.goto(server.origin + path);
					await page.evaluate(ready);
				};
				await page.resize(900, 800);
				await open('/test/card/pages/card.html');
				await entry.run({
					page, engine, origin: server.origin, open,
					picture: (name) => join(output, `${name}-${engine}.png`),
					async click(selector, options) {
						const { x, y } = await page.evaluate((s) => globalThis.kit.at(s), selector);
						await page.click(x, y, options);
					},
					limits(what) { record.why = what; },
				});
				const seen = await page.evaluate(() => globalThis.kit?.seen ?? null);
				if (seen) {
					assert.deepEqual(seen.violations, [], 'S51 S52: no violation of the policy');
					assert.deepEqual(seen.errors, [], 'no uncaught error');
				}
				record.ok = true;
			});
		}
	});
}

/** In the page: until its module has run. */
function ready() {
	return new Promise((resolve) => {
		const look = () => (document.documentElement.dataset.ready ? resolve(undefined) : setTimeout(look, 10));
		look();
	});
}
