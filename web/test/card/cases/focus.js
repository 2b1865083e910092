import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

/** @type {Case[]} */
export const focus = [
	{
		name: 'U8 B144 an arriving card takes no focus and no keys: composer empty, with text, elsewhere, body',
		async run({ page }) {
			for (const [id, text] of [['composer', ''], ['composer', 'half a sent'], ['before', ''], ['', '']]) {
				await page.evaluate((id) => {
					globalThis.kit.mount([]);
					const composer = document.getElementById('composer');
					composer.value = '';
					if (id) document.getElementById(id).focus();
					else document.activeElement.blur?.();
				}, id);
				if (text) await page.type(text);
				const [before, after] = await page.evaluate(async () => {
					const before = globalThis.kit.active();
					globalThis.kit.session.add(globalThis.kit.call('delete-post'));
					await globalThis.kit.wait(60);
					return [before, globalThis.kit.active()];
				});
				assert.equal(after, before, `focus stays on ${id || 'body'}`);
				if (id !== 'composer') continue;
				await page.type('1 ');
				await page.press('Enter');
				const [value, decisions] = await page.evaluate(() => [document.getElementById('composer').value, globalThis.kit.session.decisions]);
				assert.equal(value, `${text}1 \n`);
				assert.deepEqual(decisions, []);
			}
		},
	},
	{
		name: 'U8 an arriving card leaves a composition alone',
		engines: ['chromium'],
		why: 'the driver has no way to start a composition',
		async run({ page }) {
			await page.evaluate(() => { globalThis.kit.mount([]); document.getElementById('composer').focus(); });
			const client = await page.raw.createCDPSession();
			await client.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
			await page.evaluate(async () => { globalThis.kit.session.add(globalThis.kit.call('delete-post')); await globalThis.kit.wait(50); });
			await client.send('Input.insertText', { text: '日本' });
			assert.deepEqual(await page.evaluate(() => [globalThis.kit.active(), document.getElementById('composer').value]), ['composer', '日本']);
		},
	},
	{
		name: 'U9 the modal first focuses its heading',
		async run({ page }) {
			const active = await page.evaluate(() => {
				globalThis.kit.mount([globalThis.kit.call('delete-post')], { variant: 'modal' });
				return globalThis.kit.active();
			});
			assert.equal(active, 'heading');
		},
	},
	{
		name: 'U10 no approving control is ever focused by script, over 1,000 random card sequences',
		async run({ page }) {
			const focused = await page.evaluate(async () => {
				const { kit } = globalThis;
				let seed = 7;
				const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
				const ids = ['delete-post', 'send-mail', 'bidi', 'duplicate'];
				const states = ['approved', 'denied', 'resolved', 'expired', 'answered-elsewhere', 'outcome-unknown', 'deciding', 'pending'];
				let autofocus = 0;
				for (let round = 0; round < 100; round++) {
					const session = kit.mount([], { variant: random(2) ? 'modal' : 'inline', 'two-step-deny': random(2) ? '' : 'off', 'allow-remember': '' });
					for (let step = 0; step < 10; step++) {
						const known = session.confirmations;
						const pick = known[random(known.length || 1)];
						switch (random(9)) {
							case 0: case 1: case 2: session.add(kit.call(ids[random(4)], { toolCallId: `c${round}_${step}` })); break;
							case 3: case 4: if (pick) session.set(pick.toolCallId, { state: states[random(8)] }); break;
							case 5: kit.button('deny')?.click(); break;
							case 6: kit.card.hide(); break;
							case 7: kit.card.focusPending(); break;
							default: kit.button('back')?.click(); kit.root.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true, cancelable: true }));
						}
						autofocus += kit.root.querySelectorAll('button[autofocus], [data-action][autofocus]').length;
						const active = kit.root.activeElement?.dataset?.action;
						if (active === 'confirm' || active === 'allowChat' || active === 'allowChatSure') kit.seen.focused.push(`ACTIVE ${active}`);
					}
				}
				return { bad: kit.seen.focused.filter((what) => /confirm|allowChat|ACTIVE/.test(what)), all: kit.seen.focused.length, autofocus };
			});
			assert.deepEqual(focused.bad, []);
			assert.equal(focused.autofocus, 0);
			assert.ok(focused.all > 100, 'the sequences did move the focus');
		},
	},
	{
		name: 'U14 after a decision the focus is on the result line; elsewhere it stays',
		async run({ page, click }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.armed(); });
			await click('.confirm');
			const after = await page.evaluate(async () => {
				await globalThis.kit.until(() => globalThis.kit.root.querySelector('.result'));
				return [globalThis.kit.active(), globalThis.kit.root.activeElement.textContent];
			});
			assert.deepEqual(after, ['result', '✓Confirmed: delete_post']);
			const elsewhere = await page.evaluate(async () => {
				const session = globalThis.kit.mount([globalThis.kit.call('delete-post')]);
				document.getElementById('before').focus();
				session.set('call_delete-post', { state: 'answered-elsewhere' });
				return globalThis.kit.active();
			});
			assert.equal(elsewhere, 'before');
		},
	},
	{
		name: 'U14 a result line that has the focus stays until it loses it',
		async run({ page, click }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); await globalThis.kit.visible(); });
			await click('.deny');
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				await kit.until(() => kit.active() === 'result');
				kit.session.confirmations = [];
				kit.session.notify();
				const kept = kit.active();
				document.getElementById('composer').focus();
				await kit.wait(20);
				return [kept, kit.root.querySelectorAll('.result').length];
			});
			assert.deepEqual(got, ['result', 0]);
		},
	},
	{
		name: 'U14 in the modal the focus goes back to the composer it came from, else to the result line',
		async run({ page, click }) {
			for (const [from, to] of [['composer', 'composer'], ['before', 'result']]) {
				await page.evaluate(async (from) => {
					document.getElementById(from).focus();
					globalThis.kit.mount([globalThis.kit.call('delete-post')], { variant: 'modal', 'two-step-deny': 'off' });
					await globalThis.kit.visible();
				}, from);
				await click('.deny');
				const active = await page.evaluate(async () => {
					await globalThis.kit.until(() => !globalThis.kit.root.querySelector('dialog').open);
					return globalThis.kit.active();
				});
				assert.equal(active, to);
			}
		},
	},
	{
		name: 'U15 while sending the buttons keep the focus and say that they are busy',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')]); globalThis.kit.session.answer = 'hold'; await globalThis.kit.armed(); });
			await page.evaluate(() => { globalThis.kit.card.focusPending(); });
			for (let i = 0; i < 3; i++) await page.press('Tab');
			assert.equal(await page.evaluate(() => globalThis.kit.active()), 'confirm');
			await page.press('Enter');
			const state = await page.evaluate(() => ({
				active: globalThis.kit.active(), look: globalThis.kit.root.querySelector('.card').dataset.look,
				buttons: ['deny', 'confirm'].map((action) => {
					const node = globalThis.kit.button(action);
					return [node.getAttribute('aria-disabled'), node.getAttribute('aria-busy'), node.disabled];
				}),
			}));
			assert.deepEqual(state, { active: 'confirm', look: 'sending', buttons: [['true', 'true', false], ['true', 'true', false]] });
			await page.press('Enter');
			await page.press('Space');
			assert.equal(await page.evaluate(() => globalThis.kit.session.decisions.length), 1);
		},
	},
	{
		name: 'U18 the focus ring is at least 2 px wide, 3:1, and nothing covers the focused control',
		async run({ page }) {
			for (const [width, height] of [[320, 256], [768, 1024], [1280, 800]]) {
				await page.resize(width, height);
				for (const variant of ['inline', 'modal']) {
					await page.evaluate(async (variant) => {
						globalThis.kit.mount([globalThis.kit.call('send-mail')], { variant, 'allow-remember': '' });
						await globalThis.kit.wait(50);
						globalThis.kit.card.focusPending();
					}, variant);
					const stops = new Set();
					for (let i = 0; i < 6; i++) { // not beyond the page, into the browser's own controls
						await page.press('Tab');
						const stop = await page.evaluate(async () => {
							await globalThis.kit.frames(2);
							const node = globalThis.kit.root.activeElement;
							if (!node || !node.closest('.card')) return null;
							const { outlineWidth, outlineStyle, outlineColor } = getComputedStyle(node);
							const { x, y, width, height } = node.getBoundingClientRect();
							let hits = 0;
							for (const fx of [0.1, 0.5, 0.9]) {
								for (const fy of [0.1, 0.5, 0.9]) {
									const hit = globalThis.kit.root.elementFromPoint(x + width * fx, y + height * fy);
									if (hit === node || node.contains(hit)) hits++;
								}
							}
							const channels = (color) => color.match(/[\d.]+/g).map(Number);
							const light = ([r, g, b]) => [r, g, b].map((c) => { const v = c / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
								.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
							const ring = light(channels(outlineColor));
							return { what: globalThis.kit.active(), width: parseFloat(outlineWidth), style: outlineStyle, hits, contrast: 1.05 / (ring + 0.05) };
						});
						if (!stop || stops.has(stop.what)) continue;
						stops.add(stop.what);
						assert.ok(stop.width >= 2 && stop.style === 'solid', `${JSON.stringify(stop)} at ${width}x${height} ${variant}, after ${[...stops]}`);
						assert.ok(stop.contrast >= 3, `${stop.what}: ring contrast ${stop.contrast}`);
						const least = stop.what === 'body' ? 1 : 9;
						assert.ok(stop.hits >= least, `${stop.what} at ${width}x${height} ${variant}: ${stop.hits} of 9 points`);
					}
					assert.ok(stops.has('deny') && stops.has('confirm'), [...stops].join());
				}
			}
		},
	},
];
