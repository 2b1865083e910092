import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

const decisions = () => globalThis.kit.session.decisions.map((d) => d.decision);

/** In the page: a card on the turned clock, just come into view. */
const fresh = async (attributes) => {
	const { kit } = globalThis;
	kit.mount([kit.call('delete-post')], attributes ?? {});
	await kit.visible();
};

/** @type {Case[]} */
export const gesture = [
	{
		name: 'S21 one activation at 0, 250 or 499 ms decides nothing, one at 510 ms decides once; Deny is not delayed',
		async run({ page, click }) {
			for (const [ms, want] of [[0, []], [250, []], [499, []], [510, ['approve']]]) {
				await page.evaluate(fresh);
				await page.evaluate((ms) => globalThis.kit.turn(ms), ms);
				await click('.confirm');
				assert.deepEqual(await page.evaluate(decisions), want, `${ms} ms`);
			}
			await page.evaluate(fresh);
			await click('.deny');
			assert.deepEqual(await page.evaluate(decisions), ['deny']);
		},
	},
	{
		name: 'S21 an early activation starts the delay again, by at most 10 s in all, and says so',
		async run({ page, click }) {
			await page.evaluate(fresh);
			await page.evaluate(() => globalThis.kit.turn(400));
			await click('.confirm');
			assert.equal(await page.evaluate(() => globalThis.kit.root.querySelector('.hint').textContent), 'Not sent: the request had only just come into view. Read it, then decide.');
			await page.evaluate(() => globalThis.kit.turn(400));
			await click('.confirm');
			assert.deepEqual(await page.evaluate(decisions), [], 'at 800 ms, 400 ms after the last early one');
			for (let i = 0; i < 24; i++) {
				await page.evaluate(() => globalThis.kit.turn(400));
				await click('.confirm');
			}
			assert.deepEqual(await page.evaluate(decisions), [], 'at 10,400 ms');
			await page.evaluate(() => globalThis.kit.turn(400));
			await click('.confirm');
			assert.deepEqual(await page.evaluate(decisions), ['approve'], 'at 10,800 ms, more than 10 s of extension');
		},
	},
	{
		name: 'S21 the delay runs on a real clock too, and jumps of the wall clock change nothing',
		async run({ page, click }) {
			await page.evaluate(async () => {
				const { kit } = globalThis;
				Date.now = () => 8.64e15;
				kit.mount([kit.call('delete-post')], {}, { clock: false });
				await kit.until(() => kit.root.querySelector('.card'));
			});
			await click('.confirm');
			assert.deepEqual(await page.evaluate(decisions), []);
			await page.evaluate(async () => { await globalThis.kit.wait(900); });
			await click('.confirm');
			assert.deepEqual(await page.evaluate(decisions), ['approve']);
		},
	},
	{
		name: 'S21 a press on a card whose heading was never in view is refused with that reason',
		async run({ page, click }) {
			await page.resize(700, 160);
			await page.evaluate(async () => {
				const { kit } = globalThis;
				document.getElementById('spacer').className = 'scroller';
				kit.mount([kit.call('delete-post')]);
				kit.button('confirm').scrollIntoView({ block: 'center' });
				await kit.frames(3);
				kit.turn(60_000);
				await kit.wait(150);
			});
			await click('.confirm');
			assert.deepEqual(await page.evaluate(decisions), []);
			const hint = () => page.evaluate(() => globalThis.kit.root.querySelector('.hint').textContent);
			assert.equal(await hint(), 'Not sent: the top of this request has not been in view yet. Scroll up to it, then decide.');
			await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.root.querySelector('.heading').scrollIntoView({ block: 'start' });
				await kit.frames(3);
				kit.button('confirm').scrollIntoView({ block: 'center' });
				await kit.frames(3);
				await kit.armed();
			});
			await click('.confirm');
			assert.deepEqual(await page.evaluate(decisions), ['approve']);
		},
	},
	{
		name: 'S22 the delay starts again when the card moves, is resized, the window comes back, a full screen or pointer lock ends, the content changes',
		async run({ page, click }) {
			const events = {
				moved: () => { document.getElementById('spacer').className = 'tall'; },
				resized: () => { document.getElementById('place').style.width = '500px'; },
				scrolled: () => { document.getElementById('spacer').className = 'tall'; },
				focus: () => { window.dispatchEvent(new Event('focus')); },
				pageshow: () => { window.dispatchEvent(new Event('pageshow')); },
				fullscreen: () => { document.dispatchEvent(new Event('fullscreenchange')); },
				pointerlock: () => { document.dispatchEvent(new Event('pointerlockchange')); },
				visibility: async () => {
					Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
					document.dispatchEvent(new Event('visibilitychange'));
					await globalThis.kit.wait(20);
					delete document.visibilityState;
					document.dispatchEvent(new Event('visibilitychange'));
				},
				content: () => { const { kit } = globalThis; kit.session.set('call_delete-post', { arguments: { ...kit.call('numbers').arguments, digest: 'other' } }); },
				queue: () => {
					const { kit } = globalThis;
					kit.session.add(kit.call('send-mail'));
					kit.session.set('call_delete-post', { state: 'expired' });
				},
			};
			for (const [name, event] of Object.entries(events)) {
				await page.evaluate(() => { document.getElementById('spacer').className = ''; document.getElementById('place').removeAttribute('style'); });
				await page.evaluate(fresh);
				await page.evaluate(() => globalThis.kit.turn(600));
				await page.evaluate(event);
				await page.evaluate(async () => { await globalThis.kit.frames(3); await globalThis.kit.wait(150); globalThis.kit.turn(250); });
				await click('.confirm');
				assert.deepEqual(await page.evaluate(decisions), [], `${name}, then 250 ms`);
				await page.evaluate(async () => { globalThis.kit.turn(600); await globalThis.kit.wait(20); });
				await click('.confirm');
				assert.deepEqual(await page.evaluate(decisions), ['approve'], `${name}, then time enough`);
			}
		},
	},
	{
		name: 'S22 a card that jumps under the pointer right before the click is not confirmed',
		async run({ page }) {
			await page.evaluate(fresh);
			const { x, y } = await page.evaluate(() => { globalThis.kit.turn(600); return globalThis.kit.at('.confirm'); });
			await page.move(x, y + 40);
			await page.evaluate(() => { document.getElementById('spacer').className = 'tall'; });
			await page.down();
			await page.up();
			assert.deepEqual(await page.evaluate(decisions), []);
		},
	},
	{
		name: 'S22 nobody confirms a card that is out of view',
		async run({ page }) {
			await page.evaluate(async () => {
				document.getElementById('spacer').style.height = '3000px';
				globalThis.kit.mount([globalThis.kit.call('delete-post')]);
				await globalThis.kit.frames(3);
				globalThis.kit.turn(5000);
				await globalThis.kit.wait(250);
			});
			assert.equal(await page.evaluate(() => globalThis.kit.button('confirm').getAttribute('aria-disabled')), 'true');
		},
	},
	{
		name: 'S24 a double click whose first click was elsewhere decides nothing; on the button itself it decides once',
		async run({ page }) {
			await page.evaluate(fresh);
			const { x, y } = await page.evaluate(() => { globalThis.kit.turn(600); return globalThis.kit.at('.confirm'); });
			await page.evaluate(() => {
				document.getElementById('place').append(Object.assign(document.createElement('div'), { className: 'cover', id: 'bait' }));
				document.getElementById('bait').addEventListener('click', (event) => event.target.remove());
			});
			await page.evaluate(() => { globalThis.kit.details = []; globalThis.kit.root.addEventListener('click', (event) => globalThis.kit.details.push(event.detail), { capture: true }); });
			await page.click(x, y, { count: 2 });
			assert.deepEqual(await page.evaluate(() => [globalThis.kit.details, globalThis.kit.session.decisions.length]), [[2], 0]);
			await page.evaluate(fresh);
			const at = await page.evaluate(() => { globalThis.kit.turn(600); return globalThis.kit.at('.confirm'); });
			await page.evaluate(async () => { await globalThis.kit.wait(700); });
			await page.click(at.x, at.y, { count: 2 });
			assert.deepEqual(await page.evaluate(decisions), ['approve']);
		},
	},
	{
		name: 'S24 W6 a double click answers one call, not the next that takes its place',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post'), globalThis.kit.call('send-mail')]); await globalThis.kit.armed(); });
			const { x, y } = await page.evaluate(() => globalThis.kit.at('.confirm'));
			await page.click(x, y, { count: 2 });
			await page.click(x, y);
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions.map((d) => d.id)), ['call_delete-post']);
		},
	},
	{
		name: 'S25 Enter held from before the card arrived decides nothing; held on Confirm it decides once',
		async run({ page, engine, limits }) {
			const repeats = engine !== 'webkit';
			if (!repeats) limits('the driver of WebKit sends no key repeats; the rule is shown by its unit test');
			await page.evaluate(() => { globalThis.kit.mount([]); document.getElementById('before').focus(); });
			await page.keyDown('Enter');
			await page.evaluate(async () => { globalThis.kit.session.add(globalThis.kit.call('delete-post')); await globalThis.kit.armed(); globalThis.kit.button('confirm').focus(); });
			if (repeats) for (let i = 0; i < 10; i++) await page.keyDown('Enter');
			await page.keyUp('Enter');
			assert.deepEqual(await page.evaluate(decisions), []);
			await page.keyDown('Enter');
			if (repeats) for (let i = 0; i < 10; i++) await page.keyDown('Enter');
			await page.keyUp('Enter');
			assert.deepEqual(await page.evaluate(decisions), ['approve']);
		},
	},
	{
		name: 'S27 a press that began before the card was there and ends on Confirm decides nothing',
		async run({ page }) {
			await page.evaluate(() => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); });
			const { x, y } = await page.evaluate(() => globalThis.kit.at('.confirm'));
			await page.evaluate(() => { globalThis.kit.mount([]); });
			await page.move(x, y);
			await page.down();
			await page.evaluate(async () => { globalThis.kit.session.add(globalThis.kit.call('delete-post')); await globalThis.kit.armed(); });
			await page.up();
			assert.deepEqual(await page.evaluate(decisions), []);
		},
	},
	{
		name: 'S28 pressing elsewhere and releasing on Confirm, and sliding off it, decides nothing (mouse)',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); });
			const [confirm, deny, heading] = await page.evaluate(() => ['.confirm', '.deny', '.heading'].map((s) => globalThis.kit.at(s)));
			for (const [from, to] of [[heading, confirm], [deny, confirm], [confirm, heading], [confirm, deny]]) {
				await page.move(from.x, from.y);
				await page.down();
				await page.move(to.x, to.y);
				await page.up();
			}
			assert.deepEqual(await page.evaluate(decisions), []);
		},
	},
	{
		name: 'S28 the same by touch, and a tap decides once',
		engines: ['chromium'],
		why: 'its driver makes no touches that slide',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); });
			const [confirm, heading] = await page.evaluate(() => ['.confirm', '.heading'].map((s) => globalThis.kit.at(s)));
			const client = await page.raw.createCDPSession();
			const touch = (type, point) => client.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [{ x: point.x, y: point.y }] : [] });
			for (const [from, to] of [[heading, confirm], [confirm, heading]]) {
				await touch('touchStart', from);
				await touch('touchMove', to);
				await touch('touchEnd');
			}
			assert.deepEqual(await page.evaluate(decisions), []);
			await page.raw.touchscreen.tap(confirm.x, confirm.y);
			assert.deepEqual(await page.evaluate(decisions), ['approve']);
		},
	},
	{
		name: 'S28 the same by pen',
		engines: ['chromium'],
		why: 'its driver has no pen',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); });
			const [confirm, heading] = await page.evaluate(() => ['.confirm', '.heading'].map((s) => globalThis.kit.at(s)));
			const client = await page.raw.createCDPSession();
			const pen = (type, { x, y }) => client.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: 1, clickCount: 1, pointerType: 'pen' });
			for (const [from, to] of [[heading, confirm], [confirm, heading]]) {
				await pen('mousePressed', from);
				await pen('mouseMoved', to);
				await pen('mouseReleased', to);
			}
			assert.deepEqual(await page.evaluate(decisions), []);
			await pen('mousePressed', confirm);
			await pen('mouseReleased', confirm);
			assert.deepEqual(await page.evaluate(decisions), ['approve']);
		},
	},
	{
		name: 'S30 an Enter that ends a composition neither approves nor sends the reason',
		async run({ page, click }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('delete-post')], { 'two-step-deny': '' });
				await kit.armed();
				kit.button('deny').click();
				const reason = kit.root.querySelector('textarea');
				const key = (init) => reason.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true, cancelable: true, ...init }));
				// Chromium and Firefox: keydown while composing, then the end. Safari: the end, then keydown 229.
				reason.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true, composed: true }));
				key({ isComposing: true, keyCode: 229 });
				reason.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, composed: true }));
				reason.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true, composed: true }));
				reason.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, composed: true }));
				key({ keyCode: 229 });
				const esc = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true, isComposing: true });
				reason.dispatchEvent(esc);
				return [kit.session.decisions, kit.root.querySelector('.card').dataset.look];
			});
			assert.deepEqual(got, [[], 'reason']);
			await click('textarea');
			await page.press('Enter');
			assert.deepEqual(await page.evaluate(() => [globalThis.kit.session.decisions, globalThis.kit.root.querySelector('textarea').value]), [[], '']);
		},
	},
	{
		name: 'S25 a click that a script makes confirms nothing',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('delete-post')]);
				await kit.armed();
				kit.button('confirm').click();
				kit.button('confirm').dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, detail: 1 }));
				for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'touchend', 'keyup']) {
					kit.button('confirm').dispatchEvent(new Event(type, { bubbles: true, composed: true }));
				}
				return kit.session.decisions;
			});
			assert.deepEqual(got, []);
		},
	},
	{
		name: 'S34 a click on a card whose call has changed behind it decides nothing, and the delay starts again',
		async run({ page, click }) {
			for (const change of [{ state: 'expired' }, { state: 'deciding' }, { arguments: 'other' }]) {
				await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); });
				await page.evaluate((change) => {
					const { kit } = globalThis;
					const full = change.arguments ? { arguments: { ...kit.call('delete-post').arguments, digest: 'f'.repeat(64) } } : change;
					const silent = kit.session.listeners;
					kit.session.listeners = new Set(); // the page has not been told yet
					kit.session.set('call_delete-post', full);
					kit.session.listeners = silent;
				}, change);
				await click('.confirm');
				assert.deepEqual(await page.evaluate(decisions), [], JSON.stringify(change));
			}
		},
	},
	{
		name: 'S34 a press on one card that ends on another decides neither',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post'), globalThis.kit.call('numbers')]); await globalThis.kit.armed(); });
			const { x, y } = await page.evaluate(() => globalThis.kit.at('.confirm'));
			await page.move(x, y);
			await page.down();
			await page.evaluate(async () => { globalThis.kit.session.set('call_delete-post', { state: 'answered-elsewhere' }); await globalThis.kit.armed(); });
			await page.up();
			assert.deepEqual(await page.evaluate(decisions), []);
		},
	},
	{
		name: 'S49 twenty calls of one tool need twenty gestures, and the count shows from the third; the run can be stopped',
		async run({ page, click }) {
			await page.resize(900, 1200); // room for the outcomes, so that nothing scrolls
			await page.evaluate(() => {
				const { kit } = globalThis;
				kit.mount(Array.from({ length: 20 }, (_, i) => kit.call('delete-post', { toolCallId: `n${i}`, alreadyAsked: i })));
			});
			for (let i = 0; i < 20; i++) {
				await page.evaluate(async () => { await globalThis.kit.armed(); });
				const shown = await page.evaluate(() => globalThis.kit.root.querySelector('.repeated')?.textContent ?? null);
				assert.equal(shown, i < 2 ? null : `Request ${i + 1} for this tool within a minute.`);
				if (i === 2) {
					await click('[data-action="stop"]');
					const got = await page.evaluate(() => [globalThis.kit.session.stops, globalThis.kit.root.querySelector('.hint').textContent]);
					assert.deepEqual(got, [1, 'Stopped. This request still waits for your decision.']);
				}
				await click('.confirm');
				const got = await page.evaluate(() => globalThis.kit.session.decisions.map((d) => d.id));
				assert.equal(got.length, i + 1);
				assert.equal(got[i], `n${i}`);
			}
		},
	},
];
