// Pictures of the demo for a person to look at, in test/output. The tests look
// at what can be measured: nothing is wider than the window.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Playground, card, launch, open, output, say } from './kit.js';

const playground = new Playground();
/** @type {import('puppeteer-core').Browser} */
let browser;
before(async () => {
	await playground.start();
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await playground.close();
});

for (const scheme of ['light', 'dark']) {
	for (const [width, height] of [[1440, 900], [900, 700], [320, 640]]) {
		test(`the demo in ${scheme} at ${width} px`, async () => {
			await playground.reset();
			const page = await open(browser, playground.url);
			await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
			await page.setViewport({ width, height });
			const shot = (/** @type {string} */ name) => page.screenshot({ path: /** @type {`${string}.png`} */ (join(output, `demo-${scheme}-${width}-${name}.png`)) });
			await shot('start');
			await say(page, 'delete posts 2 and 4');
			await card(page, 'post_id');
			await new Promise((resolve) => setTimeout(resolve, 1200));
			await shot('card');
			const { wide, button } = await page.evaluate(() => {
				const root = /** @type {ShadowRoot} */ (document.querySelector('sveda-confirmation')?.shadowRoot);
				const rect = root.querySelector('[data-action="confirm"]')?.getBoundingClientRect();
				return {
					wide: document.documentElement.scrollWidth - innerWidth,
					button: rect && rect.left >= 0 && rect.right <= innerWidth && rect.bottom <= innerHeight,
				};
			});
			assert.equal(wide, 0, 'the page scrolls sideways');
			assert.equal(button, true, 'the button is in sight');
			for (const view of ['chats', 'page']) {
				const tab = await page.$(`[data-shows="${view}"]`);
				if (!(await tab?.isVisible())) continue;
				await tab?.click();
				await shot(view);
				assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
			}
			assert.deepEqual(page.problems, []);
			await page.close();
		});
	}
}
