// Pictures of the demo for a person to look at, in test/output. The tests look
// at what can be measured: nothing is wider than the window.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Playground, card, decide, launch, open, output, say, settled } from './kit.js';

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

// A phone on its side, and a window that is enlarged four times: the heading is
// seen first, and what it asks can be confirmed.
for (const [width, height] of [[844, 390], [640, 360], [568, 320], [320, 256]]) {
	test(`the demo is used at ${width} × ${height} px`, async () => {
		await playground.reset();
		const page = await open(browser, playground.url);
		await page.setViewport({ width, height });
		await say(page, 'delete posts 2 and 4');
		await card(page, 'post_id');
		await page.waitForFunction(() => {
			const root = document.querySelector('sveda-confirmation')?.shadowRoot;
			const heading = root?.querySelector('.heading')?.getBoundingClientRect();
			return heading && heading.height > 0 && heading.top >= 0 && heading.bottom <= innerHeight;
		});
		await page.screenshot({ path: /** @type {`${string}.png`} */ (join(output, `demo-low-${width}.png`)), captureBeyondViewport: false });
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
		for (const [done, call] of ['post_id 2', 'post_id 4'].entries()) {
			await page.waitForFunction((n) => /** @type {any} */ (globalThis).demo.session.confirmations.filter((/** @type {any} */ c) => c.state === 'resolved').length === n, {}, done);
			await card(page, call.slice(-1));
			await page.evaluate(() => document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector('[data-action="confirm"]')?.scrollIntoView({ block: 'nearest' }));
			await decide(page, 'confirm');
		}
		await settled(page);
		assert.deepEqual(await playground.posts(), [1, 3, 5, 6, 7, 8, 9, 10]);
		await page.close();
	});
}

test('the bar breaks no word and fits at every width', async () => {
	const page = await open(browser, playground.url);
	for (let width = 320; width <= 1200; width += 40) {
		await page.setViewport({ width, height: 700 });
		const [aside, lines] = await page.evaluate(() => {
			const h1 = /** @type {HTMLElement} */ (document.querySelector('h1'));
			return [document.documentElement.scrollWidth - innerWidth, Math.round(h1.offsetHeight / 24)];
		});
		assert.equal(aside, 0, `sideways at ${width} px`);
		assert.ok(lines <= 1, `the name breaks at ${width} px`);
	}
	await page.close();
});

test('the links of the bar and the gallery are reached at 320 px', async () => {
	const page = await open(browser, playground.url);
	await page.setViewport({ width: 320, height: 640 });
	const out = await page.$$eval('.bar .link', (links) => links.filter((link) => {
		const { left, right, height } = link.getBoundingClientRect();
		return height < 24 || left < 0 || right > innerWidth || !link.checkVisibility();
	}).map((link) => link.textContent));
	assert.deepEqual(out, [], 'links that are not in sight, or too small to be hit');
	assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
	await page.click('[data-shows="page"]');
	await page.click('a[href="gallery.html"]');
	await page.waitForSelector('html[data-ready]');
	assert.match(page.url(), /gallery\.html$/);
	await new Promise((resolve) => setTimeout(resolve, 600));
	assert.deepEqual(await page.evaluate(() => [scrollY, document.activeElement === document.body]), [0, true], 'it opens at its beginning');
	await page.close();
});

test('U46 texts of people, models and tools are isolated, each in its own direction', async () => {
	await playground.reset();
	const page = await open(browser, playground.url);
	const words = 'احذف المنشور delete post 2 (الآن)!';
	await say(page, words);
	await page.waitForFunction(() => document.querySelectorAll('.message .text').length === 2 && document.querySelector('#histories .open'));
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.status === 'idle');
	const directions = (/** @type {string[]} */ selectors) => page.evaluate((all) => all.map((selector) => {
		const style = getComputedStyle(/** @type {Element} */ (document.querySelector(selector)));
		return `${selector} ${style.direction} ${style.unicodeBidi}`;
	}), selectors);
	assert.deepEqual(await directions(['.user .text', '.assistant .text', '#title', '#histories .open']), [
		'.user .text rtl plaintext', '.assistant .text ltr plaintext', '#title rtl isolate', '#histories .open rtl isolate',
	]);
	await page.screenshot({ path: /** @type {`${string}.png`} */ (join(output, 'demo-arabic.png')) });
	await page.goto(`${playground.url}/custom.html`);
	await page.waitForSelector('html[data-ready]');
	await page.$eval('#text', (node, value) => { /** @type {HTMLInputElement} */ (node).value = value; }, words);
	await page.click('#send');
	await page.waitForFunction(() => document.querySelectorAll('#messages li').length === 2);
	assert.deepEqual(await directions(['#messages li']), ['#messages li rtl plaintext']);
	await page.close();
});
