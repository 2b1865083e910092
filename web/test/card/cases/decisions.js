import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

const decisions = () => globalThis.kit.session.decisions.map(({ id, decision, reason, remember }) => [id, decision, reason ?? null, remember ?? null]);

/** @type {Case[]} */
export const decisionsCases = [
	{
		name: 'U52 W6 the first Deny sends nothing, shows the reason and moves the focus there; the second sends, empty or not',
		async run({ page, click }) {
			for (const reason of ['', 'wrong row']) {
				await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')], { 'two-step-deny': '' }); await globalThis.kit.visible(); });
				await click('.deny');
				assert.deepEqual(await page.evaluate(() => [globalThis.kit.active(), globalThis.kit.session.decisions.length, globalThis.kit.button('confirm').checkVisibility()]), ['reason', 0, false]);
				if (reason) await page.type(reason);
				await click('[data-action="sendDeny"]');
				assert.deepEqual(await page.evaluate(decisions), [['call_delete-post', 'deny', reason || null, null]]);
			}
		},
	},
	{
		name: 'U52 a double click on Deny opens the reason and does not send; one-step denying is the inline default',
		async run({ page }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')], { 'two-step-deny': '' }); await globalThis.kit.visible(); });
			const { x, y } = await page.evaluate(() => globalThis.kit.at('.deny'));
			await page.click(x, y, { count: 2 });
			assert.deepEqual(await page.evaluate(decisions), []);
			const steps = await page.evaluate(() => {
				const { kit } = globalThis;
				const out = [];
				for (const attributes of [{}, { 'two-step-deny': 'off' }, { variant: 'modal', 'two-step-deny': 'off' }, { variant: 'modal' }, { 'two-step-deny': '' }]) {
					kit.mount([kit.call('delete-post')], attributes);
					kit.button('deny').click();
					out.push(kit.session.decisions.length);
				}
				return out;
			});
			assert.deepEqual(steps, [1, 1, 1, 0, 0]);
		},
	},
	{
		name: 'U53 Deny is never held up: by the protection time, hidden arguments, limits, framing, or a failed drawing',
		async run({ page }) {
			const got = await page.evaluate(() => {
				const { kit } = globalThis;
				const base = kit.call('delete-post');
				const calls = [base, { ...base, arguments: { ...base.arguments, hidden: { rows: 5, characters: 5 } } }, ...['too-large', 'malformed', 'duplicate-key'].map((blocked) => ({ ...base, arguments: { ...base.arguments, blocked } })), { ...base, arguments: { ...base.arguments, rows: null } }];
				return calls.map((call) => {
					kit.mount([call]);
					const deny = kit.root.querySelector('.deny');
					const free = deny.getAttribute('aria-disabled');
					deny.click();
					return [free, kit.session.decisions.map((d) => d.decision)];
				});
			});
			for (const line of got) assert.deepEqual(line, [null, ['deny']]);
		},
	},
	{
		name: 'U55 the reason is plain text of at most 500 code points without control or bidi characters',
		async run({ page, click }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('delete-post')], { 'two-step-deny': '' }); await globalThis.kit.visible(); });
			await click('.deny');
			const shown = await page.evaluate(() => {
				const area = globalThis.kit.root.querySelector('textarea');
				area.value = `a\u202eb\u0007c\n<b>${'😀'.repeat(600)}`;
				area.dispatchEvent(new InputEvent('input', { bubbles: true }));
				return [[...area.value].length, globalThis.kit.root.querySelector('.count').textContent];
			});
			assert.deepEqual(shown, [500, '500 of 500 characters']);
			await click('[data-action="sendDeny"]');
			const [[, , reason]] = await page.evaluate(decisions);
			assert.equal(reason, `abc <b>${'😀'.repeat(491)}`);
		},
	},
	{
		name: 'U56 the grant for this chat is offered only where the page enables it, names tool and chat, and takes two gestures',
		async run({ page, click }) {
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('send-mail')]); await globalThis.kit.armed(); });
			assert.equal(await page.evaluate(() => globalThis.kit.button('allowChat')), null);
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('send-mail')], { 'allow-remember': '' }); await globalThis.kit.armed(); globalThis.kit.button('copy').focus(); });
			await page.press('Tab');
			assert.equal(await page.evaluate(() => globalThis.kit.active()), 'allowChat');
			await page.press('Enter');
			await page.press('Enter');
			await page.press('Enter');
			const step = await page.evaluate(() => [globalThis.kit.session.decisions.length, globalThis.kit.active(), globalThis.kit.root.querySelector('.scope').textContent]);
			assert.deepEqual(step, [0, 'scope', 'From now on send_mail may run in this chat without asking, whatever its arguments are. You can take this back at any time.']);
			await click('[data-action="allowChatSure"]');
			assert.deepEqual(await page.evaluate(decisions), [], 'the delay starts again with the new content');
			await page.evaluate(() => globalThis.kit.armed());
			await click('[data-action="allowChatSure"]');
			assert.deepEqual(await page.evaluate(decisions), [['call_send-mail', 'approve', null, 'chat']]);
		},
	},
	{
		name: 'U56 B135 active grants are listed and can be taken back; Back and Esc leave the step without a decision',
		async run({ page, click }) {
			await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('send-mail')], { 'allow-remember': '' });
				kit.session.grants = [{ toolName: 'search_posts', toolset: 'posts' }, { toolName: 'evil\u202e' }];
				kit.session.notify();
				await kit.armed();
			});
			await click('[data-action="allowChat"]');
			await click('[data-action="grantBack"]');
			await page.evaluate(() => globalThis.kit.armed());
			await click('[data-action="allowChat"]');
			await page.press('Escape');
			const got = await page.evaluate(() => [globalThis.kit.session.decisions.length, globalThis.kit.active(), [...globalThis.kit.root.querySelectorAll('.grants li')].map((n) => n.textContent)]);
			assert.deepEqual(got, [0, 'heading', ['search_postspostsRevoke', 'evilU+202ERevoke']]);
			await click('.grants button');
			assert.deepEqual(await page.evaluate(async () => { await globalThis.kit.wait(20); return globalThis.kit.session.grants.length; }), 1);
		},
	},
	{
		name: 'U57 a destructive tool is not offered the grant, unless the page says so a second time',
		async run({ page }) {
			const got = await page.evaluate(() => {
				const { kit } = globalThis;
				return [['delete', {}], ['destructive', {}], ['write', {}], [undefined, {}], ['delete', { 'allow-remember-destructive': '' }]].map(([mode, more]) => {
					kit.mount([kit.call('delete-post', { mode })], { 'allow-remember': '', ...more });
					return kit.button('allowChat') !== null;
				});
			});
			assert.deepEqual(got, [false, false, true, true, true]);
		},
	},
	{
		name: 'U58 S35 one live card, first in first out, never replaced by arrivals, with the count of the others',
		async run({ page }) {
			const got = await page.evaluate(() => {
				const { kit } = globalThis;
				kit.mount([]);
				const at = () => [kit.root.querySelector('.heading .tool')?.textContent ?? null, kit.root.querySelector('.waiting')?.textContent ?? null, kit.root.querySelectorAll('.card').length];
				const out = [];
				kit.session.add(kit.call('delete-post', { toolCallId: 'a' }));
				const card = kit.root.querySelector('.card');
				kit.session.add(kit.call('send-mail', { toolCallId: 'b' }));
				kit.session.add(kit.call('bidi', { toolCallId: 'c', toolName: 'third', toolNameTokens: undefined }));
				out.push(at(), kit.root.querySelector('.card') === card);
				kit.session.confirmations = [...kit.session.confirmations].reverse();
				kit.session.notify();
				out.push(at(), kit.root.querySelector('.card') === card);
				kit.session.set('a', { state: 'expired' });
				out.push(at());
				kit.session.set('b', { state: 'answered-elsewhere' });
				out.push(at());
				kit.session.set('c', { state: 'denied' });
				out.push(at());
				return out;
			});
			assert.deepEqual(got, [
				['delete_post', '2 more waiting', 1], true, ['delete_post', '2 more waiting', 1], true,
				['third', '1 more waiting', 1], ['third', '', 1], [null, null, 0],
			]);
		},
	},
	{
		name: 'S35 over 1,000 random schedules every decision is for the call whose text was on screen',
		async run({ page, limits }) {
			limits('the presses are made by a script, on Deny');
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				let seed = 11;
				const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
				const ids = ['delete-post', 'numbers', 'order', 'empty'];
				const wrong = [];
				let made = 0;
				const states = ['expired', 'answered-elsewhere', 'denied', 'pending', 'deciding'];
				const session = kit.mount([], {});
				session.answer = 'hold';
				for (let round = 0; round < 1000; round++) {
					if (round % 200 === 0) { session.confirmations = []; session.notify(); }
					for (let step = 0; step < 3; step++) {
						if (random(3)) session.confirmations = [...session.confirmations, kit.call(ids[random(4)], { toolCallId: `s${round}_${step}`, toolName: `t${round}_${step}`, toolNameTokens: undefined })];
						else if (session.confirmations.length) {
							const pick = session.confirmations[random(session.confirmations.length)];
							session.confirmations = session.confirmations.map((c) => (c === pick ? { ...c, state: states[random(5)] } : c));
						}
						if (random(2)) session.notify();
					}
					const shown = kit.root.querySelector('.heading .tool')?.textContent;
					const before = session.decisions.length;
					kit.button('deny')?.click();
					const decided = session.decisions[before];
					if (!decided) continue;
					made++;
					if (`t${decided.id.slice(1)}` !== shown) wrong.push([decided.id, shown]);
					if (session.confirmations.length > 12) session.confirmations = session.confirmations.slice(-6);
				}
				return { made, wrong };
			});
			assert.deepEqual(got.wrong, []);
			assert.ok(got.made > 200, `${got.made} decisions`);
		},
	},
	{
		name: 'U58 a batch moves on while its earlier calls wait to be sent together',
		async run({ page, click }) {
			await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([1, 2, 3].map((n) => kit.call('delete-post', { toolCallId: `b${n}`, currentIndex: n, totalCount: 3 })), { variant: 'modal', 'two-step-deny': 'off' });
				kit.session.answer = 'hold';
				await kit.armed();
			});
			const counters = [];
			for (let i = 0; i < 3; i++) {
				counters.push(await page.evaluate(async () => { await globalThis.kit.armed(); return [globalThis.kit.root.querySelector('.counter').textContent, globalThis.kit.active()]; }));
				await click('.confirm');
			}
			assert.deepEqual(counters, [['1 of 3 pending tool calls', 'heading'], ['2 of 3 pending tool calls', 'heading'], ['3 of 3 pending tool calls', 'heading']]);
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions.map((d) => d.id)), ['b1', 'b2', 'b3']);
		},
	},
	{
		name: 'U59 U60 B146 what has ended shows its outcome as text and has no buttons; a restored call waits once, its time new',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const out = [];
				for (const [state, decision] of [['approved', 'approve'], ['denied', 'deny'], ['resolved', 'approve'], ['resolved', 'deny'], ['answered-elsewhere'], ['answered-elsewhere', 'deny'], ['expired'], ['outcome-unknown', 'approve'], ['unheard-of']]) {
					kit.mount([kit.call('delete-post', { state, decision })]);
					out.push([kit.root.querySelector('.result').innerText.replace(/\s+/g, ' ').trim(), kit.root.querySelectorAll('[data-action]').length]);
				}
				kit.mount([kit.call('delete-post')]);
				await kit.armed();
				const session = kit.session;
				const again = document.createElement('clocked-confirmation');
				kit.card.replaceWith(again);
				again.session = session;
				return { out, cards: again.shadowRoot.querySelectorAll('.card').length, disabled: again.shadowRoot.querySelector('.confirm').getAttribute('aria-disabled') };
			});
			assert.deepEqual(got.out, [
				['✓ Confirmed: delete_post', 0], ['✕ Denied, not executed: delete_post', 0], ['✓ Confirmed: delete_post', 0], ['✕ Denied, not executed: delete_post', 0],
				['– Answered elsewhere: delete_post', 0], ['✕ Denied elsewhere: delete_post', 0], ['– Expired, not executed: delete_post', 0],
				['? Outcome unknown: delete_post was allowed, but whether it finished is not known. It is not run again by itself.', 0],
				['? Outcome unknown: delete_post was allowed, but whether it finished is not known. It is not run again by itself.', 0],
			]);
			assert.deepEqual([got.cards, got.disabled], [1, 'true']);
		},
	},
	{
		name: 'S1 S62 a decision carries ids, a word and the digest, never arguments; events and the console carry no arguments and no reason',
		async run({ page, click }) {
			await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.events = [];
				for (const type of ['sveda-decision', 'sveda-decision-failed', 'sveda-stop']) addEventListener(type, (event) => kit.events.push([type, event.composed, JSON.stringify(event.detail)]));
				kit.mount([kit.call('send-mail')], { 'two-step-deny': '', 'allow-stop': '' });
				kit.session.answer = 'reject';
				await kit.visible();
			});
			await click('[data-action="stop"]');
			await click('.deny');
			await page.type('SENTINEL-REASON');
			await click('[data-action="sendDeny"]');
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				await kit.until(() => kit.events.length === 3);
				return { events: kit.events, keys: Object.keys(kit.session.decisions[0]).sort(), warnings: kit.seen.warnings };
			});
			assert.deepEqual(got.keys, ['decision', 'digest', 'id', 'reason']);
			assert.deepEqual(got.events.map(([type, composed]) => [type, composed]), [['sveda-stop', true], ['sveda-decision', true], ['sveda-decision-failed', true]]);
			assert.doesNotMatch(JSON.stringify([got.events, got.warnings]), /SENTINEL|alice|Offer/);
		},
	},
	{
		name: 'B001 S39 a second press while the first is on its way sends nothing',
		async run({ page, click }) {
			await page.evaluate(async () => { const { kit } = globalThis; kit.mount([kit.call('delete-post')]); kit.session.answer = 'hold'; await kit.armed(); });
			await click('.confirm');
			await page.evaluate(() => { globalThis.kit.turn(2000); });
			await click('.confirm');
			await click('.deny');
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions.map((d) => d.decision)), ['approve']);
		},
	},
	{
		name: 'S42 a call of another chat is pointed to and never asked here; switching chats while clicking decides nothing',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const other = new kit.Session([kit.call('send-mail')], 'chat_2');
				kit.mount([]);
				kit.card.otherSessions = [other];
				const pointer = kit.root.querySelector('.surface.line');
				const opened = [];
				addEventListener('sveda-open-chat', (event) => opened.push(event.detail.chatId), { once: true });
				pointer.querySelector('button').click();
				return [pointer.textContent, kit.root.querySelectorAll('.card').length, opened];
			});
			assert.deepEqual(got, ['A decision waits in another chat.Open that chat', 0, ['chat_2']]);
			await page.evaluate(async () => { const { kit } = globalThis; kit.mount([kit.call('delete-post')]); await kit.armed(); });
			const { x, y } = await page.evaluate(() => globalThis.kit.at('.confirm'));
			await page.move(x, y);
			await page.down();
			await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.first = kit.session;
				kit.session = new kit.Session([kit.call('delete-post')], 'chat_2');
				kit.card.session = kit.session;
				await kit.armed();
			});
			await page.up();
			assert.deepEqual(await page.evaluate(() => [globalThis.kit.first.decisions, globalThis.kit.session.decisions]), [[], []]);
		},
	},
	{
		name: 'S50 a restored call can be allowed only when the server still waits for it',
		async run({ page, click }) {
			for (const [answer, want] of [[true, ['approve']], [false, []], ['throw', []]]) {
				await page.evaluate(async (answer) => {
					const { kit } = globalThis;
					kit.mount([]);
					const session = new kit.Session([kit.call('delete-post')]);
					session.asked = 0;
					session.verifyConfirmation = async () => { session.asked++; await kit.wait(30); if (answer === 'throw') throw new Error('gone'); return answer; };
					kit.session = session;
					kit.card.session = session;
					await kit.until(() => kit.root.querySelector('.status').textContent !== 'Checking whether the request is still waiting.');
					await kit.visible();
					kit.turn(700);
					await kit.wait(150);
				}, answer);
				await click('.confirm');
				const got = await page.evaluate(() => [globalThis.kit.session.asked, globalThis.kit.session.decisions.map((d) => d.decision)]);
				assert.deepEqual(got, [1, want], String(answer));
			}
		},
	},
	{
		name: 'S50 after ten idle minutes the server is asked again before Confirm acts',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([]);
				kit.session.asked = 0;
				kit.session.verifyConfirmation = async () => { kit.session.asked++; return false; };
				kit.session.add(kit.call('delete-post'));
				await kit.armed();
				const before = kit.session.asked;
				kit.turn(10 * 60_000 + 1000);
				await kit.until(() => kit.session.asked === 1);
				return [before, kit.button('confirm').getAttribute('aria-disabled'), kit.root.querySelector('.status').textContent];
			});
			assert.deepEqual(got, [0, 'true', 'The server could not say that this request is still waiting. It cannot be allowed now.']);
		},
	},
];
