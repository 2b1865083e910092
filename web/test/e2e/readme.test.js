// The page of the README, as it stands there, against the real runtime.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { Playground, card, decide, launch } from './kit.js';

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

test('README: the page asks, and the row is gone', async () => {
	const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
	const files = new Map([...readme.matchAll(/<!-- run: (page\.\w+) -->\n```\w+\n([^]*?)```/g)].map(([, name, body]) => [`/${name}`, body]));
	assert.deepEqual([...files.keys()], ['/page.html', '/page.js']);
	assert.ok([...files.values()].join('').trim().split('\n').length <= 20, 'they have at most 20 lines');
	const policy = (await fetch(playground.url)).headers.get('content-security-policy') ?? '';
	assert.match(policy, /script-src/);
	const page = await browser.newPage();
	await page.setRequestInterception(true);
	page.on('request', (request) => {
		const path = new URL(request.url()).pathname;
		const body = files.get(path);
		const contentType = path.endsWith('.js') ? 'text/javascript' : 'text/html';
		if (body !== undefined) return void request.respond({ contentType, body, headers: { 'content-security-policy': policy } });
		void request.continue();
	});
	await page.goto(`${playground.url}/page.html`);
	await page.waitForSelector('#ask:enabled', { timeout: 30_000 });
	await page.click('#ask');
	await card(page, 'post_id');
	assert.equal(await page.$eval('#ask', (node) => /** @type {HTMLButtonElement} */ (node).disabled), true);
	await decide(page, 'confirm');
	await page.waitForFunction(() => !(/** @type {HTMLButtonElement} */ (document.querySelector('#ask')).disabled));
	assert.ok(!(await playground.posts()).includes(2));
	assert.equal((await playground.calls()).length, 1);
	await page.close();
});
