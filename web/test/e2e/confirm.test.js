// The first whole path, in a browser against the real runtime, the real MCP
// host and the real database. Each test looks at the table and at the calls.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { Playground, card, decide, launch, open, ready, say, settled, state } from './kit.js';

const playground = new Playground();
/** @type {import('puppeteer-core').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof open>>} */
let page;

before(async () => {
	await playground.start();
	browser = await launch();
});
after(async () => {
	await browser?.close();
	await playground.close();
});
beforeEach(async () => {
	await playground.reset();
	page = await open(browser, playground.url);
});
afterEach(async () => {
	assert.deepEqual(page.problems, [], 'S51 S52: no error and no policy violation on the page');
	assert.deepEqual(await page.wire.check(), [], 'what went over the wire keeps the contract');
	held.requests += page.wire.requests;
	held.events += page.wire.events;
	await page.close();
});

/** What was held against the schemas. */
const held = { requests: 0, events: 0 };
after(() => assert.ok(held.requests > 10 && held.events > 50, `only ${held.requests} requests and ${held.events} events were checked`));

const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

test('a confirmed tool runs once: the row is gone', async () => {
	await say(page, 'delete post 2');
	await card(page, 'post_id');
	assert.deepEqual(await playground.posts(), ten, 'nothing runs before the word of the person');
	assert.deepEqual(await playground.calls(), []);
	await decide(page, 'confirm');
	await settled(page);
	assert.deepEqual(await playground.posts(), ten.filter((id) => id !== 2));
	const calls = await playground.calls();
	assert.equal(calls.length, 1);
	assert.deepEqual([calls[0].name, calls[0].arguments], ['delete_post', { post_id: 2 }]);
	const [, decision] = await playground.turns();
	assert.deepEqual(decision.toolDecisions, [{ toolCallId: decision.toolDecisions[0].toolCallId, decision: 'approve' }], 'S1: an id and a word');
	assert.equal(decision.prompt, '');
});

test('a denied tool does not run: the row is there, the model is told', async () => {
	await say(page, 'delete post 2');
	await decide(page, 'deny');
	await settled(page);
	assert.deepEqual(await playground.posts(), ten);
	assert.deepEqual(await playground.calls(), []);
	const { chatId } = await state(page);
	const told = (await playground.conversation(chatId)).filter((message) => message.role === 'tool');
	assert.equal(told.length, 1);
	assert.deepEqual(JSON.parse(told[0].content), {
		success: false, denied: true, error: 'The user denied this action and it was not executed.',
	});
	assert.equal(await page.$eval('.tool .state', (node) => node.textContent), 'denied');
});

test('a confirmed tool of the page runs in the page', async () => {
	await page.click('.notes input[value="note-4"]');
	await say(page, 'archive the selection');
	await card(page);
	assert.equal((await page.$$('.notes input')).length, 6);
	await decide(page, 'confirm');
	await settled(page);
	assert.equal(await page.$('.notes input[value="note-4"]'), null);
	assert.equal(await page.$eval('#archived', (node) => node.textContent), '1 archived');
	assert.deepEqual(await playground.calls(), [], 'the host is not asked');
	const results = (await playground.turns()).at(-1).messages.flatMap((/** @type {any} */ m) => m.parts ?? []).filter((/** @type {any} */ p) => p.type === 'tool-result');
	assert.deepEqual(results.map((/** @type {any} */ r) => r.output.success), [true]);
});

test('a denied tool of the page does not run', async () => {
	await page.click('.notes input[value="note-4"]');
	await say(page, 'archive the selection');
	await decide(page, 'deny');
	await settled(page);
	assert.equal((await page.$$('.notes input')).length, 6);
	const results = (await playground.turns()).at(-1).messages.flatMap((/** @type {any} */ m) => m.parts ?? []).filter((/** @type {any} */ p) => p.type === 'tool-result');
	assert.deepEqual(results.map((/** @type {any} */ r) => r.output.denied), [true]);
});

test('a tool of the page that needs no word runs at once', async () => {
	await page.click('.notes input[value="note-1"]');
	await say(page, 'what is selected?');
	await settled(page);
	assert.match((await state(page)).text, /Quarterly report/);
	assert.deepEqual((await state(page)).confirmations, []);
});

for (const [name, first, second] of /** @type {['confirm' | 'deny', 'confirm' | 'deny', 'confirm' | 'deny'][] & any} */ ([
	['confirm, then deny', 'confirm', 'deny'], ['deny, then confirm', 'deny', 'confirm'],
])) {
	test(`B013 two calls of one answer: ${name}`, async () => {
		await say(page, 'delete posts 1 and 3');
		await decide(page, first);
		await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.confirmations.filter((/** @type {any} */ c) => c.state === 'pending').length === 1);
		await page.waitForFunction(() => !/** @type {any} */ (globalThis).demo.session.isStreaming);
		assert.equal((await state(page)).pending, true, 'the chat is held until both are decided');
		await decide(page, second);
		await settled(page);
		const gone = first === 'confirm' ? 1 : 3;
		assert.deepEqual(await playground.posts(), ten.filter((id) => id !== gone));
		assert.deepEqual((await playground.calls()).map((call) => call.arguments), [{ post_id: gone }]);
	});
}

test('B033 B037 a reload keeps the waiting card, and its button works', async () => {
	await say(page, 'delete post 5');
	await card(page, 'post_id');
	const before = await state(page);
	await page.reload();
	await ready(page);
	await card(page, 'post_id');
	const after = await state(page);
	assert.equal(after.chatId, before.chatId);
	assert.deepEqual(after.confirmations, before.confirmations);
	assert.deepEqual(await playground.posts(), ten);
	await decide(page, 'confirm');
	await settled(page);
	assert.deepEqual(await playground.posts(), ten.filter((id) => id !== 5));
	assert.equal((await playground.calls()).length, 1);
	await page.reload();
	await ready(page);
	await settled(page);
	assert.deepEqual((await state(page)).confirmations, [], 'R49: a decided card never returns');
});

test('W7 a reload keeps the card of a tool of the page', async () => {
	await say(page, 'archive the selection');
	await card(page);
	await page.reload();
	await ready(page);
	await page.click('.notes input[value="note-2"]');
	await decide(page, 'confirm');
	await settled(page);
	assert.equal(await page.$('.notes input[value="note-2"]'), null);
	assert.equal((await state(page)).pending, false);
});

test('R17 R18 a send while a call waits leaves no trace', async () => {
	await say(page, 'delete post 2');
	await card(page, 'post_id');
	// The card comes before the end of its stream; nothing else shall change below.
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.status === 'idle');
	const before = await state(page);
	const turns = (await playground.turns()).length;
	const stored = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
	const storage = await stored();
	const error = await page.evaluate(async () => {
		const { session } = /** @type {any} */ (globalThis).demo;
		const { isChannelAwaitingConsentError } = await import(/** @type {any} */ ('/dist/index.js'));
		try {
			await session.send('never mind, another question');
			return undefined;
		} catch (e) {
			return { name: /** @type {any} */ (e).name, code: /** @type {any} */ (e).code, is: isChannelAwaitingConsentError(e) };
		}
	});
	assert.deepEqual(error, { name: 'ChannelAwaitingConsentError', code: 'awaiting-consent', is: true });
	assert.deepEqual(await state(page), before);
	assert.equal((await playground.turns()).length, turns);
	assert.equal(await stored(), storage);
	// The composer is locked too: keys go nowhere.
	await page.type('#text', 'x\n');
	assert.equal(await page.$eval('#text', (node) => /** @type {HTMLTextAreaElement} */ (node).value), '');
	assert.equal((await playground.turns()).length, turns);
});

test('R6 design rule 6: a server that is gone makes the card live again', async () => {
	await say(page, 'delete post 7');
	await card(page, 'post_id');
	await playground.kill();
	await decide(page, 'confirm');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.confirmations[0]?.error !== undefined);
	const [confirmation] = (await state(page)).confirmations;
	assert.deepEqual([confirmation.state, confirmation.error], ['pending', 'network']);
	await playground.start();
	assert.deepEqual(await playground.posts(), ten);
	await decide(page, 'confirm');
	await settled(page);
	assert.deepEqual(await playground.posts(), ten.filter((id) => id !== 7));
	assert.equal((await playground.calls()).length, 1);
});

test('B001 S39 a double click confirms once', async () => {
	await say(page, 'delete post 9');
	await card(page, 'post_id');
	const outcomes = await page.evaluate(async () => {
		const { session } = /** @type {any} */ (globalThis).demo;
		const [{ toolCallId }] = session.confirmations;
		return Promise.all([1, 2, 3].map(() => session.resolveToolConfirmation(toolCallId, 'approve')));
	});
	assert.deepEqual(outcomes.map((o) => o.outcome), ['sent', 'already-decided', 'already-decided']);
	await settled(page);
	assert.equal((await playground.calls()).length, 1);
	assert.equal((await playground.turns()).length, 2);
});

test('text streams, and the chat is listed, opened and deleted', async () => {
	await say(page, 'write a long text of 400 words');
	await settled(page);
	assert.ok((await state(page)).text.split(/\s+/).length >= 400);
	const { chatId } = await state(page);
	await page.waitForSelector('#histories li[data-current]');
	await page.click('#new-chat');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.messages.length === 0);
	await page.click('#histories .open');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.messages.length > 0);
	assert.equal((await state(page)).chatId, chatId);
	await page.click('#histories .drop');
	await page.waitForFunction(() => document.querySelectorAll('#histories li').length === 0);
	await assert.rejects(playground.conversation(chatId), /404/);
});

test('U60 a chat deleted behind a waiting card: the card and the row of the call say that it expired', async () => {
	await say(page, 'delete post 2');
	await card(page);
	const { chatId } = await state(page);
	await page.evaluate(async (chat) => {
		const { token } = await (await fetch('/demo/token')).json();
		await fetch(`/sveda/chat-histories/${encodeURIComponent(chat)}`, { method: 'DELETE', headers: { 'x-sveda-embed-token': token } });
	}, chatId);
	await decide(page, 'confirm');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.confirmations[0]?.state === 'expired');
	await page.waitForFunction(() => document.querySelector('.tool')?.getAttribute('data-state') === 'expired', { timeout: 5000 });
	assert.equal(await page.$eval('.tool .state', (node) => node.textContent), 'expired, did not run');
	assert.deepEqual(await playground.posts(), ten);
});

test('stop ends a running answer, and the next turn works', async () => {
	await say(page, 'write a long text of 8000 words');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.messages.at(-1)?.parts.length > 0);
	await page.click('#stop');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.status === 'idle');
	assert.ok((await state(page)).text.length > 0, 'what arrived is kept');
	await say(page, 'list posts');
	await settled(page);
	assert.equal((await playground.calls()).filter((call) => call.name === 'search_posts').length, 1);
});

test('a page with buttons of its own confirms and denies', async () => {
	await page.goto(`${playground.url}/custom.html`);
	await ready(page);
	await page.click('#send');
	await page.waitForSelector('.question');
	assert.match(await page.$eval('.question', (node) => node.textContent ?? ''), /delete_post.*post_id.*2/);
	await page.click('.question button:last-of-type');
	await page.waitForFunction(() => !document.querySelector('.question'));
	assert.deepEqual(await playground.posts(), ten);
	await page.waitForFunction(() => !(/** @type {HTMLButtonElement} */ (document.querySelector('#send')).disabled));
	await page.type('#text', 'delete post 4');
	await page.click('#send');
	await page.waitForSelector('.question');
	await page.click('.question button');
	await page.waitForFunction(() => !document.querySelector('.question'));
	assert.deepEqual(await playground.posts(), ten.filter((id) => id !== 4));
});

test('B033 a page with buttons of its own keeps its chat over a reload, and forgets one that is gone', async () => {
	await page.goto(`${playground.url}/custom.html`);
	await ready(page);
	await page.click('#send');
	await page.waitForSelector('.question');
	await page.reload();
	await ready(page);
	await page.waitForSelector('.question');
	assert.equal(await page.$$eval('#messages li', (items) => items[0].textContent), 'delete post 2');
	await page.click('.question button');
	await page.waitForFunction(() => !document.querySelector('.question'));
	assert.deepEqual(await playground.posts(), ten.filter((id) => id !== 2));
	await playground.reset();
	await page.reload();
	await ready(page);
	assert.deepEqual(await page.$eval('#problem', (node) => node.textContent), '');
	assert.equal(await page.$$eval('#messages li', (items) => items.length), 0);
});

test('S61 S62 the token is in no URL, message, storage or element', async () => {
	const token = (await (await fetch(`${playground.url}/demo/token`)).json()).token;
	const urls = /** @type {string[]} */ ([]);
	page.on('request', (request) => urls.push(request.url()));
	await say(page, 'delete post 2');
	await decide(page, 'confirm');
	await settled(page);
	const secret = token.split('.')[0].slice(-12);
	assert.ok(!urls.join('\n').includes(secret));
	const left = await page.evaluate(async () => {
		const databases = await indexedDB.databases();
		return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, document.documentElement.outerHTML, location.href]);
	});
	assert.ok(!left.includes(secret));
	assert.ok(!page.problems.join().includes(secret));
});
