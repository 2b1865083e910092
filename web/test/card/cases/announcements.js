import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

/** @type {Case[]} */
export const announcements = [
	{
		name: 'U20 the live region is there before the first card and says each arrival exactly once, in at most 200 characters',
		async run({ page }) {
			const said = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([]);
				const region = kit.root.querySelector('[role="status"]');
				const before = [region?.getAttribute('aria-live'), region?.textContent];
				kit.said = [];
				for (const node of kit.root.querySelectorAll('[role="status"]')) {
					new MutationObserver(() => { if (node.textContent) kit.said.push(node.textContent); }).observe(node, { childList: true });
				}
				kit.session.add(kit.call('delete-post'));
				kit.session.add(kit.call('send-mail', { toolName: `x${'y'.repeat(500)}`, toolNameTokens: undefined }));
				for (let i = 0; i < 5; i++) { kit.session.notify(); await kit.wait(20); }
				await kit.until(() => kit.said.length >= 2);
				await kit.wait(500);
				return { before, said: kit.said };
			});
			assert.deepEqual(said.before, ['polite', '']);
			assert.equal(said.said.length, 2);
			assert.equal(said.said[0], 'Decision needed: delete_post is waiting.');
			assert.ok([...said.said[1]].length <= 200 && said.said[1].startsWith('Decision needed: xyyy'));
			assert.ok(said.said.every((text) => !text.includes('alice')), 'no arguments');
		},
	},
	{
		name: 'U22 each outcome is announced once and stays as text',
		async run({ page }) {
			for (const [change, words] of [
				[{ state: 'approved', decision: 'approve' }, 'Confirmed: delete_post'],
				[{ state: 'denied', decision: 'deny' }, 'Denied, not executed: delete_post'],
				[{ state: 'answered-elsewhere' }, 'Answered elsewhere: delete_post'],
				[{ state: 'expired' }, 'Expired, not executed: delete_post'],
			]) {
				const got = await page.evaluate(async (change) => {
					const { kit } = globalThis;
					kit.mount([kit.call('delete-post')]);
					await kit.wait(450);
					const said = [];
					for (const node of kit.root.querySelectorAll('[role="status"]')) new MutationObserver(() => said.push(node.textContent)).observe(node, { childList: true });
					kit.session.set('call_delete-post', change);
					kit.session.notify();
					kit.session.set('call_delete-post', change.state === 'approved' ? { state: 'resolved' } : change);
					await kit.wait(500);
					return { said, line: kit.root.querySelector('.result').textContent.slice(1), buttons: kit.root.querySelectorAll('[data-action]').length };
				}, change);
				assert.deepEqual(got, { said: [words], line: words, buttons: 0 });
			}
		},
	},
	{
		name: 'U22 a decision that could not be sent is announced and stays as text, and the buttons are live again',
		async run({ page, click }) {
			await page.evaluate(async () => { const { kit } = globalThis; kit.mount([kit.call('delete-post')]); kit.session.answer = 'reject'; await kit.armed(); });
			await click('.confirm');
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				await kit.until(() => kit.root.querySelector('.status.failed'));
				const early = kit.button('confirm').getAttribute('aria-disabled');
				const said = await kit.until(() => { const t = kit.root.querySelector('[role="status"]').textContent; return t.startsWith('Could') && t; });
				const text = kit.root.querySelector('.status').textContent;
				await kit.armed();
				return { said, text, early, later: kit.button('confirm').getAttribute('aria-disabled'), look: kit.root.querySelector('.card').dataset.look };
			});
			assert.deepEqual(got, {
				said: 'Could not be sent, still waiting: delete_post',
				text: 'Your decision could not be sent (network). The request still waits.', early: 'true', later: null, look: 'failed',
			});
			await page.evaluate(() => { globalThis.kit.session.answer = 'throw'; });
			await click('.confirm');
			assert.equal(await page.evaluate(async () => { await globalThis.kit.until(() => globalThis.kit.session.decisions.length === 2); await globalThis.kit.wait(20); return globalThis.kit.session.confirmations[0].state; }), 'pending');
		},
	},
	{
		name: 'U22 a decision that may have arrived is not said to be unsent, nor its call to wait',
		async run({ page, click }) {
			await page.evaluate(async () => { const { kit } = globalThis; kit.mount([kit.call('delete-post')]); kit.session.answer = 'hold'; await kit.armed(); });
			const prompt = () => page.evaluate(() => globalThis.kit.root.querySelector('.prompt').textContent);
			assert.equal(await prompt(), 'This action waits for your decision.');
			await click('.confirm');
			assert.equal(await prompt(), 'You have decided about this action.');
			await page.evaluate(async () => { const { kit } = globalThis; kit.mount([kit.call('delete-post')]); kit.session.answer = 'lose'; await kit.armed(); });
			await click('.confirm');
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const text = (await kit.until(() => kit.root.querySelector('.status.failed'))).textContent;
				const said = await kit.until(() => { const t = kit.root.querySelector('[role="status"]').textContent; return t.startsWith('Not known') && t; });
				return { text, said };
			});
			assert.deepEqual(got, {
				text: 'Whether your decision arrived is not known (network). It may have taken effect already.',
				said: 'Not known whether your decision arrived: delete_post',
			});
			assert.equal(await prompt(), 'You have decided about this action.');
			await page.evaluate(async () => { globalThis.kit.session.answer = 'accept'; await globalThis.kit.armed(); });
			await click('.deny');
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions.map((d) => d.decision)), ['approve', 'deny'], 'both buttons work');
		},
	},
	{
		name: 'U24 a command moves the focus to the pending card from anywhere; with nothing pending it says so',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const out = [];
				kit.mount([]);
				document.getElementById('composer').focus();
				out.push(kit.api.focusPendingConfirmation(), kit.active(), kit.root.querySelector('[role="status"]').textContent);
				for (const variant of ['inline', 'modal']) {
					kit.mount([kit.call('delete-post')], { variant });
					kit.card.hide();
					document.getElementById('composer').focus();
					out.push(kit.api.focusPendingConfirmation(), kit.active());
				}
				return out;
			});
			assert.deepEqual(got, [false, 'composer', 'No decision is waiting.', true, 'heading', true, 'heading']);
		},
	},
];
