// Reloads, crashes, several tabs and broken storages, in a real browser against
// the real runtime. Each test looks at the table of posts, at the calls that
// reached the host, and at how often a handler ran.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Playground, launch } from './kit.js';
import { servePages, strictPolicy } from './pages.js';
import { Proxy } from './proxy.js';

const script = `
import { load } from '/dist/index.js';
const { SvedaClient } = await load();
const { runtime, token, chat, persist = true, hang = false } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
// How often the handler ran, over all tabs and reloads.
const ran = () => localStorage.setItem('runs', String(Number(localStorage.getItem('runs') ?? 0) + 1));
const client = new SvedaClient({
	endpoints: { stream: runtime + '/sveda/stream', histories: runtime + '/sveda/chat-histories' },
	headers: () => ({ 'x-sveda-embed-token': token }), persist,
	tools: [{
		name: 'archive_selection', description: 'Archives the selection.', confirmation: 'required',
		parameters: { type: 'object', properties: {} },
		handler: () => { ran(); return hang ? new Promise(() => {}) : { success: true }; },
	}],
});
const session = client.createSession(chat);
Object.assign(globalThis, { client, session, durable: [], errors: [] });
session.on('durable', (is) => durable.push(is));
session.on('error', ({ code }) => errors.push(code));
globalThis.code = (promise) => promise.then((value) => value?.outcome ?? 'done', (error) => error.code ?? String(error));
globalThis.approve = () => code(session.resolveToolConfirmation(session.confirmations[0].toolCallId, 'approve'));
globalThis.deny = () => code(session.resolveToolConfirmation(session.confirmations[0].toolCallId, 'deny'));
globalThis.cardState = () => session.confirmations[0]?.state;
await session.ready;
document.documentElement.dataset.ready = '';
`;

const playground = new Playground({ SVEDA_OFFLINE_DELAY: '1ms' });
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
	const policy = strictPolicy.replace("connect-src 'self'", "connect-src 'self' http://127.0.0.1:*");
	pages = await servePages({ '/page.js': script }, { policy });
	({ token } = await (await fetch(`${playground.url}/demo/token`)).json());
});
after(async () => {
	await browser?.close();
	pages?.close();
	await playground.close();
});
beforeEach(async () => {
	await playground.reset();
	chat = `chat-${++chats}`;
});

/** @typedef {import('puppeteer-core').Page & {problems: string[]}} Page */

/**
 * Opens a tab of the chat.
 *
 * @param {object} [options]
 * @param {string} [options.runtime]
 * @param {boolean} [options.hang] the handler never ends
 * @param {() => void} [options.break] runs in the page before anything else
 * @returns {Promise<Page>}
 */
async function tab({ runtime = playground.url, hang = false, break: breaks } = {}) {
	const page = /** @type {Page} */ (await browser.newPage());
	page.problems = [];
	page.on('pageerror', (error) => page.problems.push(/** @type {Error} */ (error).message));
	if (breaks) await page.evaluateOnNewDocument(breaks);
	await page.goto(`${pages.url}/#${encodeURIComponent(JSON.stringify({ runtime, token, chat, hang }))}`);
	await page.waitForSelector('html[data-ready]', { timeout: 20_000 });
	return page;
}

/** @param {Page} page @param {string} code @param {number} [timeout] */
const until = (page, code, timeout = 10_000) => page.waitForFunction(code, { timeout, polling: 10 });

/** The decisions that reached the runtime. */
const decisions = async () => (await playground.turns()).filter(({ toolDecisions }) => toolDecisions?.length > 0);

/** @param {Page} page */
const runs = (page) => page.evaluate(() => Number(localStorage.getItem('runs') ?? 0));

/** Ends the renderer of a page. @param {Page} page */
async function crash(page) {
	const client = await page.createCDPSession();
	await Promise.race([client.send('Page.crash').catch(() => {}), new Promise((done) => setTimeout(done, 1000))]);
	await page.close().catch(() => {});
}

/** Closes tabs and looks for errors on them. @param {...Page} tabs */
async function done(...tabs) {
	for (const page of tabs) {
		assert.deepEqual(page.problems, [], 'no error reached the page');
		await page.evaluate('client.clearStorage()').catch(() => {});
		await page.evaluate('localStorage.clear()').catch(() => {});
		await page.close().catch(() => {});
	}
}

test('F28 R35 a reload with a waiting card: the card is there from the storage, one decision, one call', async () => {
	const page = await tab();
	await page.evaluate('session.send("delete post 2")');
	await until(page, 'session.confirmationPending');
	await until(page, 'session.durable');
	await new Promise((wait) => setTimeout(wait, 400)); // what was put off is written
	await page.reload();
	await page.waitForSelector('html[data-ready]');
	assert.equal(await page.evaluate('cardState()'), 'pending');
	assert.equal(await page.evaluate('session.messages.length'), 2);
	assert.equal(await page.evaluate('code(session.send("next"))'), 'awaiting-consent');
	assert.equal(await page.evaluate('approve()'), 'sent');
	assert.ok(!(await playground.posts()).includes(2));
	assert.equal((await playground.calls()).length, 1);
	await done(page);
});

test('F29 R13 a renderer that crashes with the decision on its way: it is delivered once, and never flips', async () => {
	const proxy = await new Proxy(playground.url).start();
	const page = await tab({ runtime: proxy.url });
	await page.evaluate('session.send("delete post 3")');
	await until(page, 'session.confirmationPending');
	await new Promise((wait) => setTimeout(wait, 400));
	proxy.stalled = true; // the request leaves the page and reaches nobody
	await page.evaluate('void approve()');
	await until(page, `cardState() === 'deciding'`);
	await new Promise((wait) => setTimeout(wait, 300));
	assert.equal((await decisions()).length, 0);
	await crash(page);
	proxy.close();

	const again = await tab();
	await until(again, `session.status === 'idle' && !session.confirmationPending`);
	assert.ok(!(await playground.posts()).includes(3), 'the decision was kept');
	assert.equal((await playground.calls()).length, 1);
	const words = (await decisions()).flatMap(({ toolDecisions }) => toolDecisions.map((/** @type {any} */ d) => d.decision));
	assert.ok(words.every((word) => word === 'approve'), 'I4');
	await done(again);
});

test('F29 R25 a renderer that crashes while a handler runs: the outcome is unknown, nothing runs by itself', async () => {
	const page = await tab({ hang: true });
	await page.evaluate('session.send("archive the selection")');
	await until(page, 'session.confirmationPending');
	await page.evaluate('void approve()');
	await until(page, `localStorage.getItem('runs') === '1'`);
	await crash(page);

	const again = await tab();
	await until(again, `cardState() === 'outcome-unknown'`);
	await new Promise((wait) => setTimeout(wait, 500));
	assert.equal(await runs(again), 1, 'I2');
	await again.evaluate('session.retryUnknown(session.confirmations[0].toolCallId)');
	assert.equal(await again.evaluate('cardState()'), 'pending');
	assert.equal(await again.evaluate('approve()'), 'sent');
	assert.equal(await runs(again), 2, 'a new gesture ran it once more');
	await done(again);
});

const noChannel = () => { delete (/** @type {any} */ (globalThis).BroadcastChannel); };
const noLocks = () => { Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }); };

for (const [name, breaks, within] of /** @type {[string, (() => void) | undefined, number][]} */ ([
	['with BroadcastChannel within a second', undefined, 1000],
	['without it, by looking now and then', noChannel, 3000],
])) {
	test(`R26 F35 B064 after a decision in one tab the other drops its buttons ${name}`, async () => {
		const a = await tab({ break: breaks });
		await a.evaluate('session.send("delete post 4")');
		await until(a, 'session.confirmationPending');
		const b = await tab({ break: breaks });
		await until(b, `cardState() === 'pending'`);
		await a.evaluate('void approve()');
		await until(b, `cardState() !== 'pending'`, within);
		await until(b, '!session.confirmationPending');
		await until(a, `session.status === 'idle'`);
		assert.equal((await playground.calls()).length, 1);
		await done(a, b);
	});
}

for (const [name, breaks] of /** @type {[string, (() => void) | undefined][]} */ ([['', undefined], [' F31 also without Web Locks', noLocks]])) {
	test(`R23 F30 two tabs approve one frontend call at once: its handler runs once${name}`, async () => {
		const a = await tab({ break: breaks });
		await a.evaluate('session.send("archive the selection")');
		await until(a, 'session.confirmationPending');
		const b = await tab({ break: breaks });
		await until(b, `cardState() === 'pending'`);
		await Promise.all([a.evaluate('void approve()'), b.evaluate('void approve()')]);
		await until(a, `!session.confirmationPending`, 20_000);
		await new Promise((wait) => setTimeout(wait, 500));
		assert.equal(await runs(a), 1);
		await done(a, b);
	});
}

test('S40 approve in one tab and deny in the other: the first counts for both', async () => {
	const a = await tab();
	await a.evaluate('session.send("delete post 5")');
	await until(a, 'session.confirmationPending');
	const b = await tab();
	await until(b, `cardState() === 'pending'`);
	await Promise.all([a.evaluate('void approve()'), b.evaluate('void deny()')]);
	await until(a, '!session.confirmationPending', 20_000);
	await until(b, '!session.confirmationPending', 20_000);
	const gone = !(await playground.posts()).includes(5);
	assert.equal((await playground.calls()).length, gone ? 1 : 0);
	await done(a, b);
});

test('F30 the tab that acts is closed inside its turn: the other goes on', async () => {
	const proxy = await new Proxy(playground.url).start();
	const a = await tab({ runtime: proxy.url });
	await a.evaluate('session.send("delete post 6")');
	await until(a, 'session.confirmationPending');
	await new Promise((wait) => setTimeout(wait, 400));
	const b = await tab();
	await until(b, `cardState() === 'pending'`);
	proxy.stalled = true;
	await a.evaluate('void approve()');
	await until(b, `cardState() === 'deciding'`);
	await crash(a);
	await until(b, '!session.confirmationPending', 30_000);
	assert.ok(!(await playground.posts()).includes(6));
	assert.equal((await playground.calls()).length, 1);
	proxy.close();
	await done(b);
});

test('F31 a stolen lock: the call still runs once', async () => {
	const a = await tab({ hang: true });
	await a.evaluate('session.send("archive the selection")');
	await until(a, 'session.confirmationPending');
	await a.evaluate('void approve()');
	await until(a, `localStorage.getItem('runs') === '1'`);
	const b = await tab();
	await b.evaluate((name) => void navigator.locks.request(name, { steal: true }, () => new Promise((end) => setTimeout(end, 300))), `svedawasm act ${chat}`);
	await new Promise((wait) => setTimeout(wait, 800));
	await b.evaluate('void (session.confirmations.length && approve())');
	await new Promise((wait) => setTimeout(wait, 500));
	assert.equal(await runs(b), 1, 'I2');
	await done(a, b);
});

/** @type {Record<string, () => void>} */
const storages = {
	'no IndexedDB': () => { Object.defineProperty(globalThis, 'indexedDB', { value: undefined }); },
	'open throws': () => { IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError'); }; },
	'open fails': () => {
		const { open } = IDBFactory.prototype;
		IDBFactory.prototype.open = function (name) { return open.call(this, name, 0.5); };
	},
	'open is blocked for ever': () => { IDBFactory.prototype.open = () => /** @type {any} */ ({}); },
	'put is over quota': () => { IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }; },
	'transactions are aborted': () => {
		const { transaction } = IDBDatabase.prototype;
		IDBDatabase.prototype.transaction = function (...args) {
			const made = transaction.apply(this, args);
			queueMicrotask(() => made.abort());
			return made;
		};
	},
};
for (const [name, breaks] of Object.entries(storages)) {
	test(`R30 F32 ${name}: the chat works from memory, and says that it is not durable`, async () => {
		const page = await tab({ break: breaks });
		await page.evaluate('session.send("delete post 7")');
		await until(page, 'session.confirmationPending');
		assert.equal(await page.evaluate('approve()'), 'sent');
		assert.ok(!(await playground.posts()).includes(7));
		assert.equal((await playground.calls()).length, 1);
		assert.equal(await page.evaluate('session.durable'), false);
		assert.ok((await page.evaluate('durable')).includes(false), 'the page is told');
		await page.evaluate('session.send("archive the selection")');
		await until(page, 'session.confirmationPending');
		assert.equal(await page.evaluate('approve()'), 'sent');
		assert.equal(await runs(page), 1);
		await done(page);
	});
}

test('F32 the database is deleted while it is open: the chat goes on, and is durable again', async () => {
	const page = await tab();
	await page.evaluate('session.send("delete post 8")');
	await until(page, 'session.confirmationPending');
	const other = await tab();
	const deleted = await other.evaluate(() => new Promise((resolve) => {
		const request = indexedDB.deleteDatabase('svedawasm');
		request.onsuccess = () => resolve('deleted');
		request.onerror = () => resolve('error');
		request.onblocked = () => setTimeout(() => resolve('blocked'), 2000);
	}));
	assert.equal(deleted, 'deleted', 'nobody holds it open');
	assert.equal(await page.evaluate('approve()'), 'sent');
	assert.equal((await playground.calls()).length, 1);
	await until(page, 'session.durable');
	await done(page, other);
});

test('a logout leaves nothing in the storage', async () => {
	const page = await tab();
	await page.evaluate('session.send("delete post 9")');
	await until(page, 'session.confirmationPending');
	await new Promise((wait) => setTimeout(wait, 400));
	await page.evaluate('client.clearStorage()');
	const left = await page.evaluate(() => new Promise((resolve) => {
		indexedDB.open('svedawasm').onsuccess = ({ target }) => {
			const db = /** @type {IDBOpenDBRequest} */ (target).result;
			const names = [...db.objectStoreNames];
			const transaction = db.transaction(names);
			let count = 0;
			for (const name of names) transaction.objectStore(name).count().onsuccess = (event) => (count += /** @type {IDBRequest} */ (event.target).result);
			transaction.oncomplete = () => resolve(count);
		};
	}));
	assert.equal(left, 0);
	assert.equal(await page.evaluate('session.durable'), false);
	assert.equal(await page.evaluate('approve()'), 'sent');
	await done(page);
});
