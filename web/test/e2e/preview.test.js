// History before the core: the .wasm file is really held back, in a browser,
// against the real runtime. Each test looks at the page, at the table of posts
// and at the calls that reached the host.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Playground, card, decide, launch, open, ready, say, settled } from './kit.js';
import { servePages, strictPolicy } from './pages.js';

/** @typedef {import('puppeteer-core').Page & {problems: string[]}} Page */

/** A page of its own that persists, with the picture first and the core after it. */
const script = `
import { storedMessages } from '/dist/preview.js';
const { runtime, token, chat } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const options = {
	endpoints: { stream: runtime + '/sveda/stream', histories: runtime + '/sveda/chat-histories' },
	headers: () => ({ 'x-sveda-embed-token': token }), persist: true,
};
globalThis.stored = await storedMessages(chat, options);
globalThis.asked = true;
const { load } = await import('/dist/index.js');
const { SvedaClient } = await load();
globalThis.client = new SvedaClient(options);
globalThis.session = client.createSession(chat);
globalThis.approve = () => session.resolveToolConfirmation(session.confirmations[0].toolCallId, 'approve').then(({ outcome }) => outcome);
await session.ready;
document.documentElement.dataset.ready = '';
`;

const playground = new Playground();
/** @type {import('puppeteer-core').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof servePages>>} */
let pages;
let token = '';
let chats = 0;
let chat = '';

before(async () => {
	await playground.start();
	browser = await launch();
	pages = await servePages({ '/page.js': script }, {
		policy: strictPolicy.replace("connect-src 'self'", "connect-src 'self' http://127.0.0.1:*"),
	});
	({ token } = await (await fetch(`${playground.url}/demo/token`)).json());
});
after(async () => {
	await browser?.close();
	pages?.close();
	await playground.close();
});
beforeEach(async () => {
	await playground.reset();
	chat = `preview-${++chats}`;
});

/**
 * Holds the WebAssembly files of a page back.
 *
 * @param {Page} page
 * @returns {Promise<{held: () => number, release: () => Promise<void>}>}
 */
async function holdCore(page) {
	/** @type {import('puppeteer-core').HTTPRequest[]} */
	const waiting = [];
	let open = false;
	await page.setRequestInterception(true);
	page.on('request', (request) => {
		if (!open && request.url().endsWith('.wasm')) waiting.push(request);
		else void request.continue();
	});
	return {
		held: () => waiting.length,
		async release() {
			open = true;
			for (const request of waiting) await request.continue();
		},
	};
}

/** @param {() => boolean} is @param {string} what */
async function until(is, what) {
	for (const end = Date.now() + 10_000; !is(); await sleep(10)) if (Date.now() > end) assert.fail(`never: ${what}`);
}

/** What the log of the demo shows. @param {Page} page */
const shown = (page) => page.evaluate(() => ({
	messages: [...document.querySelectorAll('#log .message:not([hidden])')].map((row) => {
		const texts = [...row.querySelectorAll('.text')].map((node) => node.textContent);
		return [row.classList[1], texts.join(''), row.querySelector('.tool .state')?.textContent];
	}),
	stored: document.querySelectorAll('#log [data-stored]').length,
	buttons: [...document.querySelector('sveda-confirmation')?.shadowRoot?.querySelectorAll('button') ?? []]
		.filter((button) => button.checkVisibility() || button.matches('[data-action="confirm"]')).map((button) => button.dataset.action),
	pressable: document.querySelectorAll('#log .message button, #log .message a, #log .message input').length,
	busy: document.querySelector('#composer')?.getAttribute('aria-busy'),
	locked: /** @type {HTMLTextAreaElement} */ (document.querySelector('#text')).disabled &&
		/** @type {HTMLButtonElement} */ (document.querySelector('#send')).disabled,
	welcome: document.querySelector('#welcome')?.checkVisibility(),
	ready: document.documentElement.dataset.ready,
}));

test('P6.3 the demo shows the stored chat while the core is held back; then the card is live, once', async () => {
	const page = await open(browser, playground.url);
	await say(page, 'delete post 2');
	await card(page, 'post_id');
	await page.waitForFunction(() => location.hash.length > 1);
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.status === 'idle');
	const { messages } = await shown(page);
	const core = await holdCore(page);
	await page.reload();
	await page.waitForSelector('[data-stored]', { timeout: 10_000 });
	await until(() => core.held() > 0, 'the core was asked for');
	await sleep(300);
	const before = await shown(page);
	assert.equal(before.ready, undefined);
	assert.equal(before.stored, 2);
	assert.deepEqual(before.messages.map(([role, words]) => [role, words]), messages.map(([role, words]) => [role, words]));
	assert.equal(before.messages[1][2], 'waiting');
	assert.deepEqual([before.buttons, before.pressable], [[], 0], 'nothing can be decided');
	assert.deepEqual([before.busy, before.locked, before.welcome], ['true', true, false]);
	assert.equal(await page.evaluate(() => 'demo' in globalThis), false);
	assert.deepEqual(await playground.calls(), []);

	await core.release();
	await ready(page);
	await card(page, 'post_id');
	const after = await shown(page);
	assert.equal(after.stored, 0, 'the picture is gone');
	assert.deepEqual(after.messages, messages, 'each message once');
	assert.equal(after.busy, null);
	await decide(page, 'confirm');
	await settled(page);
	assert.ok(!(await playground.posts()).includes(2), 'the row is gone');
	assert.equal((await playground.calls()).length, 1, 'one call');
	assert.deepEqual(page.problems, []);
	await page.close();
});

test('P6.3 a reader who has scrolled in the picture stays at the same message', async () => {
	const page = await open(browser, playground.url);
	await page.evaluate(async (words) => {
		for (let i = 0; i < 8; i++) await /** @type {any} */ (globalThis).demo.session.send(words);
	}, `list posts ${'and more words '.repeat(30)}`);
	const core = await holdCore(page);
	await page.reload();
	await page.waitForSelector('[data-stored]');
	const end = await page.evaluate(() => {
		const log = /** @type {HTMLElement} */ (document.querySelector('#log'));
		return log.scrollHeight - log.scrollTop - log.clientHeight;
	});
	assert.ok(end < 2, 'the end is seen first');
	const place = () => page.evaluate(() => {
		const log = /** @type {HTMLElement} */ (document.querySelector('#log'));
		const rows = [...log.querySelectorAll('.message:not([hidden])')];
		const i = rows.findIndex((row) => row.getBoundingClientRect().bottom > log.getBoundingClientRect().top);
		return [rows.length - i, Math.round(rows[i].getBoundingClientRect().top - log.getBoundingClientRect().top)];
	});
	await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector('#log')).scrollTo({ top: 500, behavior: 'instant' }));
	await sleep(100);
	const before = await place();
	await core.release();
	await ready(page);
	await sleep(300);
	const after = await place();
	assert.equal(after[0], before[0], 'the same message');
	assert.ok(Math.abs(after[1] - before[1]) <= 2, `at the same place: ${before} and ${after}`);
	assert.deepEqual(page.problems, []);
	await page.close();
});

test('P6.3 a reader who was at the end of the picture sees the card that waits', async () => {
	const page = await open(browser, playground.url);
	await page.evaluate(async (words) => {
		for (let i = 0; i < 4; i++) await /** @type {any} */ (globalThis).demo.session.send(words);
		await /** @type {any} */ (globalThis).demo.session.send('delete post 2');
	}, `list posts ${'and more words '.repeat(30)}`);
	await page.reload();
	await card(page, 'post_id');
	await sleep(500);
	const end = await page.evaluate(() => {
		const log = /** @type {HTMLElement} */ (document.querySelector('#log'));
		return log.scrollHeight - log.scrollTop - log.clientHeight;
	});
	assert.ok(end < 2, `${end} px are out of sight`);
	await page.close();
});

/** Opens the page that persists. @returns {Promise<Page>} */
async function tab() {
	const page = /** @type {Page} */ (await browser.newPage());
	page.problems = [];
	page.on('pageerror', (error) => page.problems.push(/** @type {Error} */ (error).message));
	await page.goto(`${pages.url}/#${encodeURIComponent(JSON.stringify({ runtime: playground.url, token, chat }))}`);
	await page.waitForSelector('html[data-ready]', { timeout: 20_000 });
	return page;
}

/** Loads the page again with its core held back. @param {Page} page */
async function reloadHeld(page) {
	const core = await holdCore(page);
	await page.reload();
	await page.waitForFunction('globalThis.asked === true', { timeout: 10_000 });
	await until(() => core.held() > 0, 'the core was asked for');
	assert.equal(await page.evaluate(() => 'session' in globalThis), false);
	return core;
}

/** A tab in which a call waits, stored. */
async function waitingTab() {
	const page = await tab();
	await page.evaluate('session.send("delete post 2")');
	await page.waitForFunction('session.confirmationPending && session.durable');
	await sleep(400); // what was put off is written
	return page;
}

/** The picture as words. @param {Page} page */
const picture = (page) => page.evaluate(() => {
	const { stored } = /** @type {any} */ (globalThis);
	return stored?.flatMap((/** @type {any} */ m) => m.parts.map((/** @type {any} */ p) => p.text ?? `${p.toolName} ${p.state}`));
});

test('P6.3 a client that persists: the picture is there without core and server, then the session\'s card, once', async () => {
	const page = await waitingTab();
	const core = await reloadHeld(page);
	const words = await picture(page);
	assert.equal(words?.[0], 'delete post 2');
	assert.ok(words?.includes('delete_post waiting'), String(words));
	await core.release();
	await page.waitForSelector('html[data-ready]');
	assert.equal(await page.evaluate('session.messages.length'), 2);
	assert.equal(await page.evaluate('session.confirmations[0].state'), 'pending');
	assert.deepEqual(await page.evaluate('Promise.all([approve(), approve()]).then((outcomes) => outcomes.sort())'), ['already-decided', 'sent']);
	assert.ok(!(await playground.posts()).includes(2));
	assert.equal((await playground.calls()).length, 1);
	assert.deepEqual(page.problems, []);
	await page.close();
});

test('P6.3 after clearStorage nothing is shown', async () => {
	const page = await waitingTab();
	await page.evaluate('client.clearStorage()');
	const core = await reloadHeld(page);
	assert.equal(await picture(page), undefined);
	await core.release();
	await page.waitForSelector('html[data-ready]');
	assert.equal(await page.evaluate('session.messages.length'), 0);
	assert.deepEqual(page.problems, []);
	await page.close();
});

test('P6.3 a corrupt picture shows nothing, and the chat starts as it was', async () => {
	const page = await waitingTab();
	await page.evaluate((chatId) => new Promise((resolve, reject) => {
		const opening = indexedDB.open('svedawasm');
		opening.onerror = reject;
		opening.onsuccess = () => {
			const chats = opening.result.transaction('chats', 'readwrite').objectStore('chats');
			const reading = chats.get(chatId);
			reading.onsuccess = () => {
				chats.put({ ...reading.result, preview: [{ id: 'x', role: 'assistant', parts: [{ type: 'tool', toolName: 'x', state: 'approved' }] }] }, chatId);
			};
			chats.transaction.oncomplete = () => {
				opening.result.close();
				resolve(undefined);
			};
		};
	}), chat);
	const core = await reloadHeld(page);
	assert.equal(await picture(page), undefined);
	await core.release();
	await page.waitForSelector('html[data-ready]');
	assert.equal(await page.evaluate('session.confirmations[0].state'), 'pending');
	assert.equal(await page.evaluate('approve()'), 'sent');
	assert.equal((await playground.calls()).length, 1);
	assert.deepEqual(page.problems, []);
	await page.close();
});
