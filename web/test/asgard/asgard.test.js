// Asgard's consent in a browser, against the real playground: the modal, its
// decisions, what reaches the server, the table and the model (issue 4).
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { Playground, launch, open, say, settled, state } from '../e2e/kit.js';
import { asked, computed, deny, gone, openModal, press, reload, shown, turns } from './kit.js';

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
	page = await openModal(browser, playground.url);
});
afterEach(async () => {
	assert.deepEqual(page.problems, [], 'S51 S52: no error and no policy violation on the page');
	await page.close();
});

const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/** @param {...number} ids */
const without = (...ids) => ten.filter((id) => !ids.includes(id));

test('Q1 Q3 M4 M6 three decisions over a batch of four, the fourth answered by itself', async () => {
	await say(page, 'delete posts 1, 2, 3 and 4');
	await asked(page, 'post_id');
	assert.match(await shown(page, '.counter'), /^1 of 4/);
	assert.equal((await turns(playground.url)).length, 1);
	await press(page, 'confirm');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.getSnapshot().currentIndex === 2);
	await asked(page, '2');
	assert.match(await shown(page, '.counter'), /^2 of 4/);
	await deny(page, 'the second one stays');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.getSnapshot().currentIndex === 3);
	assert.match(await shown(page, '.counter'), /^3 of 4/);
	assert.deepEqual(await playground.posts(), ten, 'nothing runs before the whole batch is answered');
	assert.equal((await turns(playground.url)).length, 1, 'and nothing is sent');
	await press(page, 'allowChat');
	await press(page, 'allowChatSure');
	await settled(page);
	await gone(page);
	const sent = await turns(playground.url);
	assert.equal(sent.length, 2, 'one reply');
	assert.deepEqual(sent[1].toolCallConsents.map((/** @type {any} */ c) => [c.result, c.denyReason]), [
		['ALLOW_ONCE', ''], ['DENY_ONCE', 'the second one stays'], ['ALLOW_ALWAYS', ''], ['ALLOW_ALWAYS', ''],
	]);
	assert.deepEqual(await playground.posts(), without(1, 3, 4));
	assert.deepEqual((await playground.calls()).map((call) => call.arguments.post_id).sort(), [1, 3, 4]);
	await page.waitForFunction(() => !(/** @type {HTMLTextAreaElement} */ (document.getElementById('text')).readOnly));
	await say(page, 'delete post 5'); // the tool is allowed for the channel now
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.messages.filter((/** @type {any} */ m) => m.role === 'user').length === 2);
	await settled(page);
	assert.deepEqual(await playground.posts(), without(1, 3, 4, 5));
});

test('M5 W6 a two-step deny with a reason that the model receives; the first press sends nothing', async () => {
	await say(page, 'delete post 2');
	await asked(page);
	assert.equal(await shown(page, '[data-action="deny"]'), 'Deny');
	await press(page, 'deny');
	assert.equal(await shown(page, '[data-action="sendDeny"]'), 'Send deny');
	assert.equal((await turns(playground.url)).length, 1);
	await press(page, 'back');
	await deny(page, '  it is still needed  ');
	await settled(page);
	assert.deepEqual(await playground.posts(), ten);
	assert.deepEqual(await playground.calls(), []);
	assert.deepEqual((await turns(playground.url))[1].toolCallConsents.map((/** @type {any} */ c) => [c.result, c.denyReason]), [['DENY_ONCE', 'it is still needed']]);
	const [result] = (await state(page)).messages.flatMap((/** @type {any} */ m) => m.parts).filter((/** @type {any} */ p) => p.type === 'tool-result');
	assert.equal(result.isError, true);
	assert.deepEqual([result.output.denied, result.output.reason], [true, 'it is still needed'], 'this is what the model was told');
});

test('W1 C8 a refusal inside a 200 stream keeps the prompt, and a retry works', async () => {
	await say(page, 'delete posts 1 and 2');
	await asked(page);
	await deny(page, 'typed with care');
	await page.waitForFunction(() => /** @type {any} */ (globalThis).demo.session.getSnapshot().currentIndex === 2);
	let refused = 0;
	await page.setRequestInterception(true);
	const refuse = (/** @type {import('puppeteer-core').HTTPRequest} */ request) => {
		if (request.method() === 'POST' && request.url().endsWith('/message/sse') && refused === 0) {
			refused++;
			const frame = (/** @type {string} */ kind, /** @type {any} */ fact) => `data: ${JSON.stringify({ eventType: kind, requestId: 'r', fact })}\n\n`;
			void request.respond({
				status: 200, contentType: 'text/event-stream',
				body: frame('asgard.run.init', { runInit: {} }) + frame('asgard.run.error', { runError: { error: { message: 'use RespondToolCallConsent', code: 'FAILED_PRECONDITION' } } }),
			});
		} else void request.continue();
	};
	page.on('request', refuse);
	await press(page, 'confirm');
	await page.waitForFunction(() => {
		const { session } = /** @type {any} */ (globalThis).demo;
		return !session.isStreaming && session.confirmations.some((/** @type {any} */ c) => c.state === 'pending' && c.error);
	});
	await asked(page, '2');
	assert.equal(refused, 1);
	assert.equal((await turns(playground.url)).length, 1, 'the reply did not arrive');
	assert.match(await shown(page, '.counter'), /^2 of 2/);
	await press(page, 'confirm');
	await settled(page);
	assert.deepEqual((await turns(playground.url))[1].toolCallConsents.map((/** @type {any} */ c) => [c.result, c.denyReason]), [['DENY_ONCE', 'typed with care'], ['ALLOW_ONCE', '']]);
	assert.deepEqual(await playground.posts(), without(2));
	page.off('request', refuse);
	await page.setRequestInterception(false);
});

test('R3 R5 W14 a reload while it waits brings the prompt back, and it can be answered', async () => {
	await say(page, 'delete post 3');
	await asked(page, 'post_id');
	const { chatId, confirmations } = await state(page);
	await reload(page);
	await asked(page, 'post_id');
	const after = await state(page);
	assert.equal(after.chatId, chatId);
	assert.deepEqual(after.confirmations, confirmations);
	assert.deepEqual(after.messages.map((/** @type {any} */ m) => m.role), ['user', 'assistant']);
	const refusal = await page.evaluate(() => /** @type {any} */ (globalThis).demo.session.sendMessage({ text: 'never mind' })
		.catch((/** @type {any} */ error) => ({ name: error.name, processId: error.processId })));
	assert.deepEqual(refusal, { name: 'ChannelAwaitingConsentError', processId: '' }, 'C5: no process id after a rejoin');
	await press(page, 'confirm');
	await settled(page);
	assert.deepEqual(await playground.posts(), without(3));
	assert.equal((await playground.calls()).length, 1);
	await reload(page);
	await settled(page);
	assert.deepEqual((await state(page)).confirmations, [], 'R49: a decided prompt never returns');
	await gone(page);
});

test('S3 the prompt survives a restart of the server', async () => {
	await say(page, 'delete post 3');
	await asked(page);
	await playground.kill();
	await playground.start();
	await reload(page);
	await asked(page);
	await press(page, 'confirm');
	await settled(page);
	assert.deepEqual(await playground.posts(), without(3));
});

test('W4 answered in another tab: the prompt goes and the guard lifts', async () => {
	await say(page, 'delete post 4');
	await asked(page);
	const other = await open(browser, page.url());
	await asked(other);
	await press(other, 'confirm');
	await settled(other);
	await page.bringToFront();
	await gone(page);
	const { confirmations, pending } = await state(page);
	assert.equal(pending, false);
	assert.deepEqual(confirmations.map((/** @type {any} */ c) => c.state), ['answered-elsewhere']);
	assert.match((await state(page)).text, /4/, 'and the answer is there');
	await say(page, 'list posts');
	await settled(page);
	assert.equal((await playground.calls()).filter((call) => call.name === 'delete_post').length, 1);
	await other.close();
});

test('W4 a late answer of a tab that has not looked: nothing runs twice, the prompt goes', async () => {
	await say(page, 'delete post 4');
	await asked(page);
	const { chatId, confirmations } = await state(page);
	const answered = await fetch(`${playground.url}/ns/demo/bot-provider/posts/message/sse`, {
		method: 'POST', headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify({
			action: 'RESPONSE_TOOL_CALL_CONSENT', customChannelId: chatId, text: '',
			toolCallConsents: [{ toolCallId: confirmations[0].id, result: 'DENY_ONCE', denyReason: 'from elsewhere' }],
		}),
	});
	await answered.text();
	await press(page, 'confirm');
	await page.waitForFunction(() => !/** @type {any} */ (globalThis).demo.session.confirmationPending);
	await gone(page);
	assert.deepEqual(await playground.posts(), ten, 'the first answer counts');
	assert.deepEqual(await playground.calls(), []);
});

test('W15 L9 stop lifts the prompt, at the server too', async () => {
	await say(page, 'delete post 5');
	await asked(page);
	await page.evaluate(() => /** @type {any} */ (globalThis).demo.session.stopGeneration());
	await gone(page);
	assert.equal((await state(page)).pending, false);
	await say(page, 'list posts');
	await settled(page);
	assert.deepEqual(await playground.posts(), ten);
	assert.match((await state(page)).text, /10|posts/i);
});

test('L1 W18 reset while a prompt is up: a new channel, nothing answered', async () => {
	await say(page, 'delete post 6');
	await asked(page);
	await page.evaluate(() => /** @type {any} */ (globalThis).demo.session.reset());
	await gone(page);
	const { messages, pending } = await state(page);
	assert.equal(pending, false);
	assert.deepEqual(messages.map((/** @type {any} */ m) => m.role), ['assistant']);
	assert.deepEqual((await turns(playground.url)).map((t) => t.action), ['NONE', 'NONE']);
	assert.deepEqual(await playground.posts(), ten);
});

test('M7 the composer is locked while it waits and keeps the draft; the modal can be put away', async () => {
	await say(page, 'delete post 7');
	await asked(page);
	await press(page, 'later');
	await gone(page);
	const composer = await page.$eval('#text', (node) => /** @type {HTMLTextAreaElement} */ (node).readOnly);
	assert.equal(composer, true);
	assert.equal((await state(page)).pending, true);
	await page.evaluate(() => /** @type {any} */ (document.querySelector('sveda-confirmation')).show());
	await asked(page);
	await press(page, 'confirm');
	await settled(page);
	assert.deepEqual(await playground.posts(), without(7));
});

test('section 8 the shipped zh-TW words', async () => {
	await page.evaluate(() => (document.documentElement.lang = 'zh-TW'));
	await say(page, 'delete posts 1 and 2');
	await asked(page);
	assert.equal(await shown(page, 'h2'), '允許使用工具「delete_post」？');
	assert.equal(await shown(page, '[data-action="allowChat"]'), '本次對話皆允許');
	assert.equal(await shown(page, '[data-action="confirm"]'), '僅此次允許');
	assert.equal(await shown(page, '[data-action="deny"]'), '拒絕');
	assert.equal(await shown(page, '.counter'), '1 / 2 個待處理工具呼叫');
	await press(page, 'deny');
	assert.equal(await shown(page, '[data-action="sendDeny"]'), '送出拒絕');
	assert.equal(await shown(page, 'label'), '拒絕原因（選填）');
	assert.equal(await page.evaluate(() => document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector('textarea')?.placeholder), '告訴 AI 你為什麼拒絕此次工具呼叫。');
});

/** @param {Record<string, string>} variables set on the body, an ancestor of the card */
const override = (variables) =>
	page.evaluate((set) => { for (const [name, value] of Object.entries(set)) document.body.style.setProperty(name, value); }, variables);
/** @param {any} theme */
const brand = (theme) => page.evaluate((given) => { /** @type {any} */ (document.querySelector('sveda-confirmation')).brand = given; }, theme);
/** The colors of the button that allows, once it does. */
async function confirmColors() {
	await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300))); // the card sees what changed
	await page.waitForFunction(() => document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector('[data-action="confirm"]')?.getAttribute('aria-disabled') !== 'true');
	return computed(page, '[data-action="confirm"]', 'background-color', 'color');
}

test('section 9 W31 a variable on an ancestor wins over the brand, in the order of the documents', async () => {
	await say(page, 'delete post 8');
	await asked(page);
	assert.deepEqual(await confirmColors(), ['rgb(15, 118, 110)', 'rgb(255, 255, 255)'], 'the brand of the demo');
	await brand({ chatbot: { mainColor: '#7c2d12', secondaryColor: '#ffedd5' }, userMessage: { backgroundColor: '#123456' } });
	assert.equal((await confirmColors())[0], 'rgb(124, 45, 18)', 'chatbot.mainColor before userMessage');
	await brand({ userMessage: { backgroundColor: '#123456' } });
	assert.equal((await confirmColors())[0], 'rgb(18, 52, 86)');
	await override({
		'--asgard-consent-modal-bg': '#0f172a', '--asgard-consent-modal-accent': '#6366f1', '--asgard-consent-modal-danger': '#ef4444',
		'--asgard-consent-modal-headline': '#f8fafc', '--asgard-consent-modal-title': '#e2e8f0', '--asgard-consent-modal-muted': '#94a3b8',
		'--asgard-consent-modal-border': '#334155',
	});
	assert.equal((await confirmColors())[0], 'rgb(99, 102, 241)', 'accent');
	assert.match((await computed(page, '.card', 'background-image'))[0], /rgb\(15, 23, 42\)/, 'bg');
	assert.deepEqual(await computed(page, '[data-action="deny"]', 'color'), ['rgb(239, 68, 68)'], 'danger');
	assert.deepEqual(await computed(page, 'h2', 'color'), ['rgb(248, 250, 252)'], 'headline');
});

test('section 9 W31 the fallbacks: Asgard’s design tokens where no modal variable is set', async () => {
	await brand(null);
	await override({
		'--asg-color-surface': '#fffbeb', '--asg-color-primary': '#92400e', '--asg-color-error': '#b91c1c', '--asg-color-text-primary': '#451a03',
	});
	await say(page, 'delete post 8');
	await asked(page);
	assert.match((await computed(page, '.card', 'background-image'))[0], /rgb\(255, 251, 235\)/);
	assert.equal((await confirmColors())[0], 'rgb(146, 64, 14)');
	assert.deepEqual(await computed(page, '[data-action="deny"]', 'color'), ['rgb(185, 28, 28)']);
	assert.deepEqual(await computed(page, 'h2', 'color'), ['rgb(69, 26, 3)']);
});

test('W32 text on an accent without a color of its own is readable', async () => {
	await brand({ chatbot: { mainColor: '#4f46e5' } });
	await say(page, 'delete post 8');
	await asked(page);
	assert.deepEqual(await confirmColors(), ['rgb(79, 70, 229)', 'rgb(255, 255, 255)']);
});

test('W29 two cards on one page: the page scrolls again when both are gone', async () => {
	const before = await page.evaluate(() => document.body.style.overflow);
	await say(page, 'delete post 9');
	await asked(page);
	await page.evaluate(() => {
		const second = /** @type {any} */ (document.createElement('sveda-confirmation'));
		second.setAttribute('variant', 'modal');
		second.session = /** @type {any} */ (globalThis).demo.session;
		document.body.append(second);
	});
	await page.evaluate(() => /** @type {any} */ (globalThis).demo.session.replyToolCallConsents([
		{ toolCallId: /** @type {any} */ (globalThis).demo.session.confirmations[0].toolCallId, result: 'DENY_ONCE' },
	]));
	await settled(page);
	await gone(page);
	assert.equal(await page.evaluate(() => document.body.style.overflow), before);
	assert.equal((await turns(playground.url)).length, 2, 'Q10: two cards answer once');
});

test('W33 the buttons say that the reply is on its way, and a refusal is seen', async () => {
	await say(page, 'delete post 2');
	await asked(page);
	/** @type {() => void} */
	let answer = () => {};
	const held = /** @type {Promise<void>} */ (new Promise((resolve) => (answer = resolve)));
	await page.setRequestInterception(true);
	const refuse = async (/** @type {import('puppeteer-core').HTTPRequest} */ request) => {
		if (request.method() !== 'POST' || !request.url().endsWith('/message/sse')) return request.continue();
		await held;
		return request.respond({ status: 412, contentType: 'application/json', body: '{"message":"not now"}' });
	};
	page.on('request', refuse);
	await press(page, 'confirm');
	await page.waitForFunction(() => {
		const root = document.querySelector('sveda-confirmation')?.shadowRoot;
		const buttons = ['confirm', 'deny'].map((action) => root?.querySelector(`[data-action="${action}"]`));
		return buttons.every((button) => button?.getAttribute('aria-busy') === 'true' && button.getAttribute('aria-disabled') === 'true');
	});
	assert.equal(await shown(page, '.status'), 'Sending your decision…');
	answer();
	await page.waitForFunction(() => document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector('dialog .status.failed')?.checkVisibility());
	assert.match(await shown(page, '.status'), /could not be sent/);
	assert.equal((await state(page)).confirmations[0].error, 'http-status');
	page.off('request', refuse);
	await page.setRequestInterception(false);
	await page.waitForFunction(() => !/** @type {any} */ (globalThis).demo.session.isStreaming);
	await deny(page, '');
	await settled(page);
	assert.deepEqual(await playground.posts(), ten);
});

for (const [lang, words] of Object.entries({
	en: ['Allow for this chat', 'Allow once', 'Deny'], es: ['Permitir en este chat', 'Permitir una vez', 'Denegar'],
	ja: ['このチャットで許可', '今回のみ許可', '拒否'], ar: ['السماح في هذه المحادثة', 'السماح مرة واحدة', 'رفض'],
})) {
	test(`W30 the modal speaks ${lang}`, async () => {
		await page.evaluate((to) => (document.documentElement.lang = to), lang);
		await say(page, 'delete post 2');
		await asked(page);
		assert.deepEqual([
			await shown(page, '[data-action="allowChat"]'), await shown(page, '[data-action="confirm"]'), await shown(page, '[data-action="deny"]'),
		], words);
	});
}
