import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** @import { Case } from '../support/run.js' */

const axe = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const languages = ['en', 'es', 'zh-TW', 'ja', 'ar'];
const states = ['pending', 'protected', 'sending', 'failed', 'uncertain', 'reason-step', 'hidden-arguments', 'ambiguous-arguments', 'ended', 'queue'];

/** In the page: what axe finds. */
const violations = async () => {
	const { violations: found } = await globalThis.axe.run(document, { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }, resultTypes: ['violations'] });
	return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.flat().join(' ')}`));
};

/** In the page: as high as what it shows, at most so high that a picture can be taken. */
const height = () => Math.min(document.documentElement.scrollHeight + 20, 8000);

/** @type {Case[]} */
export const gallery = [
	{
		name: 'U6 axe finds nothing in any state, five languages, light and dark',
		engines: ['chromium'],
		why: 'axe judges the page, not the engine; it runs once',
		async run({ page, open, picture }) {
			const source = axe();
			for (const theme of ['light', 'dark']) {
				for (const lang of languages) {
					await page.resize(1100, 900);
					await open(`/demo/gallery.html?lang=${lang}&theme=${theme}&show=states`);
					await page.resize(1100, await page.evaluate(height));
					const missing = await page.evaluate((names) => names.filter((name) => !document.getElementById(`case-${name}`)), states);
					assert.deepEqual(missing, []);
					await new Promise((resolve) => setTimeout(resolve, 700)); // the protection time
					await page.screenshot(picture(`gallery-${lang}-${theme}`));
					await page.raw.evaluate(source);
					assert.deepEqual(await page.evaluate(violations), [], `${lang} ${theme}`);
				}
			}
		},
	},
	{
		name: 'U6 axe finds nothing in the modal, its steps, the themes and the arguments of an attacker',
		engines: ['chromium'],
		why: 'axe judges the page, not the engine; it runs once',
		async run({ page, open, picture, click }) {
			const source = axe();
			for (const show of ['arguments', 'themes']) {
				await page.resize(1100, 900);
				await open(`/demo/gallery.html?theme=light&show=${show}`);
				await page.resize(1100, await page.evaluate(height));
				await new Promise((resolve) => setTimeout(resolve, 700));
				await page.screenshot(picture(`gallery-${show}`));
				await page.raw.evaluate(source);
				assert.deepEqual(await page.evaluate(violations), [], show);
			}
			await page.resize(900, 800);
			for (const lang of ['en', 'ar']) {
				await open('/test/card/pages/card.html');
				await page.raw.evaluate(source);
				await page.evaluate(async (lang) => { document.documentElement.lang = lang; globalThis.kit.mount([globalThis.kit.call('send-mail', { toolset: 'mail', modelReason: 'x', currentIndex: 1, totalCount: 4 })], { variant: 'modal', 'allow-remember': '' }); await globalThis.kit.armed(); }, lang);
				assert.deepEqual(await page.evaluate(violations), [], `modal ${lang}`);
				await page.screenshot(picture(`modal-${lang}`));
				await click('[data-action="allowChat"]');
				assert.deepEqual(await page.evaluate(violations), [], `grant ${lang}`);
				await page.screenshot(picture(`modal-grant-${lang}`));
				await click('.deny');
				assert.deepEqual(await page.evaluate(violations), [], `reason ${lang}`);
				await page.screenshot(picture(`modal-reason-${lang}`));
				await page.press('Escape');
				await page.press('Escape');
				assert.deepEqual(await page.evaluate(violations), [], `put away ${lang}`);
			}
		},
	},
	{
		name: 'U25 U33 the gallery at 320 px, photographed: no state scrolls sideways',
		async run({ page, open, picture, engine }) {
			for (const [lang, theme] of [['en', 'light'], ['ar', 'dark']]) {
				await page.resize(320, 900);
				await open(`/demo/gallery.html?lang=${lang}&theme=${theme}&show=states`);
				if (engine === 'chromium') await page.resize(320, await page.evaluate(height));
				await new Promise((resolve) => setTimeout(resolve, 300));
				await page.screenshot(picture(`gallery-320-${lang}-${theme}`));
				assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), lang);
			}
		},
	},
];
