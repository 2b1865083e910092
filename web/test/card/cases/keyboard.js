import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

const printable = [...'abcdefghijklmnopqrstuvwxyz0123456789 .,-/\\[]\'`=;'];
const others = ['F1', 'F2', 'F4', 'F6', 'F8', 'F9', 'F10', 'Enter', 'Escape', 'Home', 'End', 'PageUp', 'PageDown', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Backspace', 'Delete', 'Insert'];

/** @type {Case[]} */
export const keyboard = [
	{
		name: 'U11 every printable key, function key and common chord on the document makes 0 decisions',
		async run({ page, engine }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')], { 'allow-remember': '' }); await globalThis.kit.armed(); document.activeElement.blur?.(); });
			const keys = engine === 'webkit' ? others.filter((key) => !/^F|Insert|Delete/.test(key)) : others.filter((key) => !/^F(1|6|10)$/.test(key) || engine === 'chromium');
			for (const key of [...printable, ...keys]) await page.press(key === ' ' ? 'Space' : key);
			if (engine !== 'webkit') {
				for (const chord of ['Control', 'Shift', 'Alt']) {
					await page.keyDown(chord);
					for (const key of ['y', 'Enter', 'a', '1', 'd']) if (!(engine === 'firefox' && chord !== 'Shift' && key === 'd')) await page.press(key);
					await page.keyUp(chord);
				}
			}
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions), []);
		},
	},
	{
		name: 'U11 Tab order is arguments, Show all, options, Deny, Confirm, next control, as on screen',
		async run({ page }) {
			await page.evaluate(async () => {
				const hidden = globalThis.kit.call('many-keys');
				hidden.arguments = { ...hidden.arguments, hidden: { rows: 3, characters: 40 } };
				globalThis.kit.mount([hidden], { 'allow-remember': '', 'allow-stop': '' });
				await globalThis.kit.visible();
				document.getElementById('before').focus();
			});
			const stops = [];
			for (let i = 0; i < 8; i++) {
				await page.press('Tab');
				stops.push(await page.evaluate(() => globalThis.kit.active()));
			}
			assert.deepEqual(stops, ['body', 'showAll', 'copy', 'allowChat', 'stop', 'deny', 'confirm', 'after']);
			const sorted = await page.evaluate(() => {
				const places = [...globalThis.kit.root.querySelectorAll('.card [data-action]')].filter((n) => n.checkVisibility())
					.map((n) => n.getBoundingClientRect()).map(({ x, y }) => [Math.round(y / 20), x]);
				return places.every((place, i) => i === 0 || place[0] > places[i - 1][0] || (place[0] === places[i - 1][0] && place[1] >= places[i - 1][1]));
			});
			assert.ok(sorted, 'the order in the page is the order on screen');
		},
	},
	{
		name: 'U11 Enter and Space activate a focused button once; arrows and letters on it do nothing',
		async run({ page }) {
			for (const key of ['Enter', 'Space']) {
				await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); globalThis.kit.button('deny').focus(); });
				for (const idle of ['y', 'ArrowRight', 'ArrowDown', '1']) await page.press(idle);
				assert.equal(await page.evaluate(() => globalThis.kit.active()), 'deny');
				await page.press('Tab');
				assert.deepEqual(await page.evaluate(() => [globalThis.kit.active(), globalThis.kit.session.decisions]), ['confirm', []]);
				await page.press(key);
				const decisions = await page.evaluate(async () => { await globalThis.kit.wait(30); return globalThis.kit.session.decisions.map((d) => d.decision); });
				assert.deepEqual(decisions, ['approve'], key);
			}
		},
	},
	{
		name: 'U11 Space acts on release, and only when it was pressed there',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); globalThis.kit.button('deny').focus(); });
			await page.press('Tab');
			await page.keyDown('Space');
			assert.equal(await page.evaluate(() => globalThis.kit.session.decisions.length), 0);
			await page.keyUp('Space');
			assert.equal(await page.evaluate(() => globalThis.kit.session.decisions.length), 1);
		},
	},
	{
		name: 'U11 arrow and page keys scroll the arguments when they have the focus',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('many-keys')]); await globalThis.kit.visible(); document.getElementById('before').focus(); });
			await page.press('Tab');
			assert.equal(await page.evaluate(() => globalThis.kit.active()), 'body');
			await page.press('PageDown');
			const top = await page.evaluate(async () => globalThis.kit.until(() => globalThis.kit.root.querySelector('.body').scrollTop));
			assert.ok(top > 0);
		},
	},
	{
		name: 'U11 Ctrl+Enter and Enter in the composer never reach the card',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); document.getElementById('composer').focus(); });
			await page.keyDown('Control');
			await page.press('Enter');
			await page.keyUp('Control');
			await page.press('Enter');
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions), []);
		},
	},
	{
		name: 'U12 Esc leads back from the reason step with the reason kept, and never decides',
		async run({ page, click }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')], { 'two-step-deny': '' }); await globalThis.kit.armed(); });
			await click('.deny');
			await page.type('not now');
			await page.press('Escape');
			assert.deepEqual(await page.evaluate(() => [globalThis.kit.active(), globalThis.kit.root.querySelector('.card').dataset.look !== 'reason']), ['deny', true]);
			await page.press('Escape');
			await page.press('Enter');
			const kept = await page.evaluate(() => [globalThis.kit.active(), globalThis.kit.root.querySelector('textarea').value, globalThis.kit.session.decisions]);
			assert.deepEqual(kept, ['reason', 'not now', []]);
		},
	},
	{
		name: 'U12 Esc hides the modal, the call stays pending, and a visible control brings it back',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post'), globalThis.kit.call('send-mail')], { variant: 'modal' }); await globalThis.kit.visible(); });
			await page.press('Escape');
			const hidden = await page.evaluate(() => {
				const { kit } = globalThis;
				return { open: kit.root.querySelector('dialog').open, active: kit.root.activeElement?.textContent, state: kit.session.confirmations[0].state, decisions: kit.session.decisions.length };
			});
			assert.deepEqual(hidden, { open: false, active: '2 decisions waiting', state: 'pending', decisions: 0 });
			await page.press('Enter');
			assert.deepEqual(await page.evaluate(() => [globalThis.kit.root.querySelector('dialog').open, globalThis.kit.active()]), [true, 'heading']);
			await page.press('Escape');
			await page.press('Escape');
			assert.equal(await page.evaluate(() => globalThis.kit.session.decisions.length), 0);
		},
	},
	{
		name: 'U12 a modal that is put away and brought back at once stays',
		async run({ page }) {
			const open = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('delete-post')], { variant: 'modal' });
				kit.card.hide();
				kit.card.show();
				await kit.wait(80); // the event of the first closing comes late
				return [kit.root.querySelector('dialog').open, kit.active()];
			});
			assert.deepEqual(open, [true, 'heading']);
		},
	},
	{
		name: 'U12 U52 in the modal Esc first leaves the reason step, then hides',
		async run({ page, click }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')], { variant: 'modal' }); await globalThis.kit.visible(); });
			await click('.deny');
			await page.press('Escape');
			assert.deepEqual(await page.evaluate(() => [globalThis.kit.root.querySelector('dialog').open, globalThis.kit.active()]), [true, 'deny']);
			await page.press('Escape');
			assert.equal(await page.evaluate(() => globalThis.kit.root.querySelector('dialog').open), false);
		},
	},
];
