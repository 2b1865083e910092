import assert from 'node:assert/strict';
import { startServer } from '../support/server.js';

/** @import { Case } from '../support/run.js' */

/** In the framing page: waits until the framed card says so. */
const framed = async ([field, value]) => {
	const end = performance.now() + 6000;
	while (performance.now() < end) {
		if (window.last && window.last[field] === value) return window.last;
		await new Promise((resolve) => setTimeout(resolve, 30));
	}
	return window.last;
};

/** @type {Case[]} */
export const surroundings = [
	{
		name: 'S31 framed by an origin that is not listed: no Confirm, the reason is said; listed, or of one’s own origin: it works',
		async run({ page, origin, engine, limits }) {
			const other = await startServer({ frameSrc: origin });
			const own = await startServer({ frameSrc: "'self'" });
			try {
				const show = async (host, card) => {
					await page.goto(`${host}/test/card/pages/frame.html?src=${encodeURIComponent(card)}`);
				};
				const card = `${origin}/test/card/pages/card.html?framed`;
				await show(other.origin, card);
				const unlisted = await page.evaluate(framed, ['status', 'This page is shown inside a page that it does not know. Open it in a window of its own to allow the call.']);
				assert.equal(unlisted.disabled, 'true');
				await page.click(unlisted.x, unlisted.y);
				await new Promise((resolve) => setTimeout(resolve, 900));
				await page.click(unlisted.x, unlisted.y);
				assert.equal((await page.evaluate(framed, ['decisions', 0])).decisions, 0);

				await show(other.origin, `${card}&allow=${encodeURIComponent(`https://x.example ${other.origin}`)}`);
				const reports = await page.evaluate(() => 'ancestorOrigins' in location);
				if (reports) {
					const listed = await page.evaluate(framed, ['disabled', 'none']);
					assert.equal(listed.disabled, 'none', 'listed');
					await page.click(listed.x, listed.y); // the first click gives the frame the focus: too early
					await new Promise((resolve) => setTimeout(resolve, 900));
					await page.click(listed.x, listed.y);
					const sent = await page.evaluate(framed, ['decisions', 1]);
					assert.equal(sent.decisions, 1);
					assert.deepEqual(sent.violations, []);
				} else {
					limits('it does not tell a framed page its ancestors, so no foreign one can be listed: Confirm stays unavailable');
					assert.equal((await page.evaluate(framed, ['disabled', 'true'])).disabled, 'true');
				}

				await show(own.origin, `${own.origin}/test/card/pages/card.html?framed`);
				const mine = await page.evaluate(framed, ['disabled', 'none']);
				assert.equal(mine.disabled, 'none', `${engine}: own origin`);
			} finally {
				await other.close();
				await own.close();
			}
		},
	},
	{
		name: 'S31 a framed card that something covers, also something that lets clicks through, cannot be confirmed',
		engines: ['chromium'],
		why: 'it does not tell a page what covers it (IntersectionObserver version 2)',
		async run({ page, origin }) {
			const other = await startServer({ frameSrc: origin });
			try {
				const card = `${origin}/test/card/pages/card.html?framed&allow=${encodeURIComponent(other.origin)}`;
				await page.goto(`${other.origin}/test/card/pages/frame.html?src=${encodeURIComponent(card)}`);
				const free = await page.evaluate(framed, ['disabled', 'none']);
				assert.equal(free.disabled, 'none');
				await page.evaluate(() => { document.getElementById('bait').className = 'covering through'; });
				const covered = await page.evaluate(framed, ['status', 'Something covers this request. It can be allowed when it is in full view.']);
				assert.equal(covered.disabled, 'true');
				await page.click(covered.x, covered.y);
				await page.evaluate(() => { document.getElementById('bait').className = ''; });
				const after = await page.evaluate(framed, ['disabled', 'none']);
				assert.deepEqual([after.disabled, after.decisions], ['none', 0]);
			} finally {
				await other.close();
			}
		},
	},
	{
		name: 'S65 messages from other frames change nothing: the card listens to none',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('delete-post')]);
				await kit.armed();
				for (const data of ['approve', { type: 'sveda-decision', decision: 'approve' }, { toolCallId: 'call_delete-post', decision: 'approve' }, null, [1]]) {
					for (const target of ['*', location.origin]) window.postMessage(data, target);
				}
				const frame = document.createElement('iframe');
				document.body.append(frame);
				for (let i = 0; i < 10; i++) window.dispatchEvent(new MessageEvent('message', { data: { decision: 'approve', i }, origin: i % 2 ? 'null' : 'https://evil.example', source: frame.contentWindow }));
				frame.remove();
				await kit.wait(50);
				return [kit.session.decisions, kit.session.confirmations[0].state];
			});
			assert.deepEqual(got, [[], 'pending']);
		},
	},
	{
		name: 'U16 the composer lock keeps focus, draft, caret and selection; typed keys reach no listener of the document; unlocking restores editing',
		async run({ page }) {
			await page.evaluate(() => {
				const { kit } = globalThis;
				kit.heard = [];
				for (const type of ['keydown', 'keypress', 'keyup']) {
					document.addEventListener(type, (event) => kit.heard.push(event.key));
					document.addEventListener(type, (event) => kit.heard.push(event.key), { capture: true });
				}
				kit.mount([]);
				const composer = document.getElementById('composer');
				kit.changes = [];
				kit.unbind = kit.api.bindComposerLock(kit.session, composer, document.getElementById('reason'), { onChange: (locked) => kit.changes.push(locked) });
				composer.focus();
			});
			await page.type('hello world');
			const locked = await page.evaluate(() => {
				const { kit } = globalThis;
				const composer = document.getElementById('composer');
				composer.setSelectionRange(2, 5);
				kit.heard.length = 0;
				kit.session.add(kit.call('delete-post'));
				return [composer.readOnly, composer.disabled, composer.getAttribute('aria-disabled'), document.getElementById('reason').textContent, document.getElementById('reason').checkVisibility(), composer.getAttribute('aria-describedby')];
			});
			assert.deepEqual(locked, [true, false, 'true', 'Decide about the waiting request first.', true, 'reason']);
			await page.type('y1 n');
			for (const key of ['Enter', 'Backspace', 'Delete']) await page.press(key);
			await page.keyDown('Control');
			await page.press('Enter');
			await page.keyUp('Control');
			const still = await page.evaluate(() => {
				const composer = document.getElementById('composer');
				return [globalThis.kit.active(), composer.value, composer.selectionStart, composer.selectionEnd, globalThis.kit.heard.filter((key) => key !== 'Control'), globalThis.kit.session.decisions.length];
			});
			assert.deepEqual(still, ['composer', 'hello world', 2, 5, [], 0]);
			await page.evaluate(() => { globalThis.kit.session.set('call_delete-post', { state: 'resolved' }); });
			await page.type('X');
			const after = await page.evaluate(() => {
				const composer = document.getElementById('composer');
				globalThis.kit.unbind();
				return [composer.value, composer.readOnly, composer.getAttribute('aria-disabled'), composer.getAttribute('aria-describedby'), document.getElementById('reason').checkVisibility(), globalThis.kit.changes];
			});
			assert.deepEqual(after, ['heX world', false, null, null, false, [false, true, false]]);
		},
	},
	{
		name: 'U16 a lock that comes in the middle of a composition lets it end',
		engines: ['chromium'],
		why: 'the driver has no way to start a composition',
		async run({ page }) {
			await page.evaluate(() => {
				const { kit } = globalThis;
				kit.mount([]);
				kit.unbind = kit.api.bindComposerLock(kit.session, document.getElementById('composer'), document.getElementById('reason'));
				document.getElementById('composer').focus();
			});
			const client = await page.raw.createCDPSession();
			await client.send('Input.imeSetComposition', { text: 'かん', selectionStart: 2, selectionEnd: 2 });
			await page.evaluate(() => { globalThis.kit.session.add(globalThis.kit.call('delete-post')); });
			await client.send('Input.insertText', { text: '漢' });
			await page.type('x');
			assert.deepEqual(await page.evaluate(() => [document.getElementById('composer').value, document.getElementById('composer').readOnly]), ['漢', true]);
		},
	},
	{
		name: 'U16 an editable element is locked the same way',
		async run({ page }) {
			await page.evaluate(() => {
				const { kit } = globalThis;
				const editor = Object.assign(document.createElement('div'), { id: 'editor', contentEditable: 'true', textContent: 'draft' });
				document.body.append(editor);
				kit.lock = kit.api.createComposerLock(editor, document.getElementById('reason'));
				editor.focus();
				kit.lock.lock('wait');
			});
			await page.type('abc');
			const locked = await page.evaluate(() => [document.getElementById('editor').textContent, globalThis.kit.active(), document.getElementById('editor').getAttribute('aria-readonly')]);
			assert.deepEqual(locked, ['draft', 'editor', 'true']);
			await page.evaluate(() => globalThis.kit.lock.unlock());
			await page.type('abc');
			assert.equal(await page.evaluate(() => document.getElementById('editor').textContent.includes('abc')), true);
		},
	},
	{
		name: 'S51 S52 no style attribute, no inline handler, no parsed HTML in anything that the card draws',
		async run({ page }) {
			const got = await page.evaluate(() => {
				const { kit } = globalThis;
				const found = [];
				for (const { id } of kit.fixtures) {
					for (const variant of id === 'bidi' ? ['inline', 'modal'] : ['inline']) {
						kit.mount([kit.call(id, { alreadyAsked: 3, modelReason: 'x', toolset: 'y' })], { variant, 'allow-remember': '', 'show-model-reason': '' });
						kit.button('deny')?.click();
						for (const node of [kit.card, ...kit.root.querySelectorAll('*')]) {
							for (const { name } of node.attributes) if (name === 'style' || name.startsWith('on')) found.push(`${id} ${node.localName} ${name}`);
						}
					}
				}
				return [found, document.querySelectorAll('style').length, document.body.hasAttribute('style')];
			});
			assert.deepEqual(got, [[], 0, false]);
		},
	},
	{
		name: 'R36 two hundred cards leave no listener of the session, no timer and no observer behind',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				let timers = 0;
				const { setInterval: start, clearInterval: stop } = globalThis;
				globalThis.setInterval = (...args) => { timers++; return start(...args); };
				globalThis.clearInterval = (id) => { if (id !== undefined) timers--; stop(id); };
				const session = kit.mount([]);
				for (let i = 0; i < 200; i++) {
					session.confirmations = [kit.call('delete-post', { toolCallId: `r${i}` })];
					session.notify();
					if (i % 4 === 0) { kit.card.remove(); document.getElementById('place').append(kit.card); }
				}
				kit.card.remove();
				globalThis.setInterval = start;
				globalThis.clearInterval = stop;
				return [session.listeners.size, timers];
			});
			assert.deepEqual(got, [0, 0]);
		},
	},
];
