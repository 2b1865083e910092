import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

/** @type {Case[]} */
export const content = [
	{
		name: 'U25 B141 at 320 px, without interaction: tool, place, every top-level key up to 20, then a count, 40 characters of each scalar',
		async run({ page, engine, limits }) {
			await page.resize(320, 640);
			if (engine === 'webkit') limits('the window of MiniBrowser is never narrower than about 450 px');
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const value = Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`setting_${i}`, `${i} ${'v'.repeat(60)}`]));
				kit.mount([kit.call('delete-post', { target: 'frontend', arguments: kit.describe(value) })]);
				await kit.frames(4);
				const shown = (node) => node.checkVisibility() && node.getBoundingClientRect().height > 0;
				const inView = (node) => { const r = node.getBoundingClientRect(); return shown(node) && r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth; };
				const overview = kit.root.querySelector('.overview');
				const values = [...kit.root.querySelectorAll('.val')];
				return {
					heading: inView(kit.root.querySelector('.tool')), where: kit.root.querySelector('.where').textContent, whereInView: inView(kit.root.querySelector('.where')),
					keys: [...overview.querySelectorAll('.key')].filter(inView).length, more: overview.textContent.includes('and 6 more'),
					values: values.filter(shown).length, whole: values.every((v, i) => v.textContent === value[`setting_${i}`]),
				};
			});
			assert.deepEqual(got, { heading: true, where: 'Runs in this browser', whereInView: true, keys: 20, more: true, values: 26, whole: true });
		},
	},
	{
		name: 'U26 a 10,000-character token wraps: nothing scrolls sideways at 320 px',
		async run({ page }) {
			await page.resize(320, 640);
			for (const variant of ['inline', 'modal']) {
				const got = await page.evaluate(async (variant) => {
					const { kit } = globalThis;
					kit.mount([kit.call('long-token', { toolName: 'n'.repeat(300), toolNameTokens: undefined })], { variant, 'allow-remember': '' });
					await kit.frames(4);
					const boxes = [document.documentElement, ...['.card', '.args', '.body', '.val', '.heading', '.foot'].map((s) => kit.root.querySelector(s))];
					return boxes.filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.className || box.tagName);
				}, variant);
				assert.deepEqual(got, []);
			}
		},
	},
	{
		name: 'U27 the arguments are a named focusable region exactly while they overflow, and keep tabindex while focused',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const region = () => { const n = kit.root.querySelector('.body'); return [n.getAttribute('tabindex'), n.getAttribute('role'), kit.root.getElementById(n.getAttribute('aria-labelledby') ?? 'none')?.textContent ?? null]; };
				const out = [];
				kit.mount([kit.call('delete-post')]);
				await kit.frames(4);
				out.push(region());
				kit.mount([kit.call('many-keys')]);
				await kit.frames(4);
				out.push(region());
				const body = kit.root.querySelector('.body');
				body.focus();
				for (const row of [...body.querySelectorAll('.row')].slice(2)) row.remove();
				await kit.frames(4);
				out.push(region());
				document.getElementById('before').focus();
				await kit.frames(4);
				out.push(region());
				return out;
			});
			const named = ['0', 'region', 'Arguments of configure'];
			assert.deepEqual(got, [[null, null, null], named, named, [null, null, null]]);
		},
	},
	{
		name: 'U28 S14 S17 hidden arguments: the exact amount, no Confirm before Show all, Deny always',
		async run({ page, click }) {
			const setUp = () => page.evaluate(async () => {
				const { kit } = globalThis;
				const part = kit.call('send-mail');
				const whole = part.arguments;
				part.arguments = { ...whole, rows: whole.rows.slice(0, 2), hidden: { rows: 1234, characters: 5678 } };
				kit.mount([part]);
				kit.session.all.set('call_send-mail', whole);
				await kit.visible();
				kit.turn(5000);
				await kit.wait(150);
			});
			await setUp();
			assert.equal(await page.evaluate(() => globalThis.kit.root.querySelector('.hidden-amount').textContent), 'Not shown yet: 1,234 rows, 5,678 characters.');
			await click('.confirm');
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions), []);
			assert.equal(await page.evaluate(() => globalThis.kit.button('confirm').getAttribute('aria-disabled')), 'true');
			await click('[data-action="showAll"]');
			const after = await page.evaluate(async () => {
				const { kit } = globalThis;
				await kit.frames(2);
				return [kit.root.querySelectorAll('.row').length, kit.button('showAll').checkVisibility(), kit.button('confirm').getAttribute('aria-disabled')];
			});
			assert.deepEqual(after, [9, false, 'true'], 'everything is there, and the delay starts again');
			await page.evaluate(() => globalThis.kit.armed());
			await click('.confirm');
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions.map((d) => d.decision)), ['approve']);
			await setUp();
			await click('.deny');
			assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions.map((d) => d.decision)), ['deny']);
		},
	},
	{
		name: 'U28 Show all that brings other bytes than those on the card leaves only Deny',
		async run({ page, click }) {
			await page.evaluate(async () => {
				const { kit } = globalThis;
				const part = kit.call('send-mail');
				part.arguments = { ...part.arguments, hidden: { rows: 1, characters: 1 } };
				kit.mount([part]);
				kit.session.all.set('call_send-mail', kit.call('delete-post').arguments);
				await kit.visible();
			});
			await click('[data-action="showAll"]');
			const got = await page.evaluate(() => ({ confirm: globalThis.kit.button('confirm'), text: globalThis.kit.root.querySelector('.status').textContent }));
			assert.deepEqual(got, { confirm: null, text: 'This request cannot be displayed. It can only be denied.' });
		},
	},
	{
		name: 'U29 text after 5,000 line breaks or spaces, of three kinds, is seen within 600 px of the start of its value',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('spaces')]);
				await kit.frames(3);
				return [...kit.root.querySelectorAll('.val')].map((value) => {
					const range = document.createRange();
					range.selectNodeContents(value.lastChild);
					return [value.textContent, range.getBoundingClientRect().bottom - value.getBoundingClientRect().top < 600];
				});
			});
			assert.deepEqual(got, [
				['echo ok5,000 × line breakrm -rf /', true],
				['a5,000 × spaceb300 × no-break spacec40 × wide spaced', true],
			]);
		},
	},
	{
		name: 'U30 with 1 MiB of arguments the heading and both buttons are on screen together from 400 px height on, also in a panel',
		async run({ page }) {
			for (const [width, height] of [[320, 400], [900, 400], [900, 800]]) {
				await page.resize(width, height);
				for (const variant of ['inline', 'modal', 'panel']) {
					const got = await page.evaluate(async (variant) => {
						const { kit } = globalThis;
						const place = document.getElementById('place');
						place.className = variant === 'panel' ? 'panel' : '';
						const big = kit.describe({ note: 'x', blob: 'y'.repeat(1 << 20) });
						kit.mount([kit.call('delete-post', { arguments: big })], variant === 'modal' ? { variant, 'allow-remember': '' } : {});
						await kit.until(() => kit.root.querySelectorAll('.row').length === 2);
						await kit.frames(4);
						kit.root.querySelector('.card').scrollIntoView({ block: variant === 'panel' ? 'nearest' : 'start' });
						if (variant === 'panel') place.scrollIntoView({ block: 'start' });
						await kit.frames(2);
						const box = variant === 'panel' ? place.getBoundingClientRect() : { top: 0, bottom: innerHeight };
						return ['.heading', '.deny', '.confirm'].map((s) => {
							const node = kit.root.querySelector(s);
							const r = node.getBoundingClientRect();
							return r.top >= box.top - 1 && r.bottom <= box.bottom + 1 && !node.closest('.body');
						});
					}, variant);
					assert.deepEqual(got, [true, true, true], `${variant} ${width}x${height}`);
				}
			}
		},
	},
	{
		name: 'U32 10,000 leaves and 256 KiB draw in at most 200 ms of script, no task over 50 ms after the first',
		async run({ page, engine, limits }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, `value ${i} abcdef`]));
				const args = kit.describe(value);
				const tasks = [];
				const observer = typeof PerformanceObserver === 'function' && PerformanceObserver.supportedEntryTypes?.includes('longtask')
					? new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => ({ start: e.startTime, ms: e.duration })))) : null;
				observer?.observe({ entryTypes: ['longtask'] });
				await kit.wait(100);
				let script = 0;
				kit.measured = (task) => { const t = performance.now(); task(); script += performance.now() - t; };
				const { ports } = customElements.get('clocked-confirmation');
				const { schedule } = ports;
				ports.schedule = (task) => schedule(() => kit.measured(task));
				// How fast this machine is at the moment, beside the reference (18 ms).
				const yard = () => {
					const start = performance.now();
					for (let i = 0; i < 20_000; i++) document.createElement('div').appendChild(document.createElement('span')).textContent = 'yard';
					return (performance.now() - start) / 18;
				};
				const before = yard();
				const start = performance.now();
				kit.measured(() => kit.mount([kit.call('delete-post', { arguments: args })]));
				const first = performance.now();
				const early = kit.button('confirm').getAttribute('aria-disabled');
				await kit.until(() => kit.root.querySelectorAll('.row').length === 10_000, 20_000);
				const drawn = performance.now();
				ports.schedule = schedule;
				await kit.wait(200);
				observer?.disconnect();
				return {
					early, slow: Math.max(1, before, yard()), script: Math.round(script), first: Math.round(first - start), all: Math.round(drawn - start),
					late: observer ? tasks.filter((t) => t.start > first + 5).map((t) => Math.round(t.ms)) : null,
				};
			});
			console.log(`card: 10,000 leaves in ${engine}: ${got.script} ms script, first task ${got.first} ms, drawn after ${got.all} ms, later long tasks: ${got.late ?? 'not reported'}, machine ${got.slow.toFixed(1)} times slower than the reference`);
			assert.equal(got.early, 'true', 'no Confirm before the last row is there');
			if (engine !== 'chromium') return limits('its times are printed, not held to the limit: the figure is for the reference browser');
			assert.ok(got.script <= 200 * got.slow, `${got.script} ms of script`);
			assert.ok((got.late ?? []).every((ms) => ms <= 50 * got.slow), `later tasks ${got.late}`);
		},
	},
	{
		name: 'S3 markup in names, keys and values adds no element, no request, no script',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const count = async (text) => {
					kit.mount([kit.call('delete-post', { toolName: 'x', toolset: text, modelReason: text, arguments: kit.describe({ k: text }) })], { 'show-model-reason': '' });
					await kit.frames(2);
					return kit.root.querySelectorAll('.args *').length;
				};
				const plain = await count('x');
				const out = [];
				globalThis.ran = 0;
				const before = performance.getEntriesByType('resource').length;
				for (const text of ['<img src=/beacon onerror="ran++">', '</pre><button>Confirm</button>', '<style>*{display:none}</style>', '[x](javascript:ran++)', '![r][1]\n\n[1]: /beacon', '<script>ran++</script>', '&lt;b&gt;']) {
					out.push([await count(text) - plain, kit.root.querySelector('.val').textContent === text, kit.root.querySelectorAll('img, script, a, iframe').length]);
				}
				await kit.wait(50);
				return { out, ran: globalThis.ran, requests: performance.getEntriesByType('resource').length - before };
			});
			assert.deepEqual(got, { out: Array.from({ length: 7 }, () => [0, true, 0]), ran: 0, requests: 0 });
		},
	},
	{
		name: 'S5 each bidi control is a labelled token, the order on screen is the stored one, and one line warns',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const out = [];
				for (const cp of ['061C', '200E', '200F', '202A', '202B', '202C', '202D', '202E', '2066', '2067', '2068', '2069']) {
					const args = kit.describe({ to: 'x' });
					args.rows[0].tokens = [{ t: 'text', s: 'abc' }, { t: 'char', cp: `U+${cp}`, name: 'NAME' }, { t: 'text', s: 'def' }];
					args.rows[0].key = [{ t: 'text', s: 'k' }, { t: 'char', cp: `U+${cp}`, name: 'NAME' }];
					args.rows[0].warnings = ['bidi'];
					args.warnings = [{ code: 'bidi', path: '/to' }];
					kit.mount([kit.call('delete-post', { toolName: `t${String.fromCodePoint(parseInt(cp, 16))}`, toolNameTokens: undefined, arguments: args })], { lang: cp.endsWith('E') ? 'ar' : 'en' });
					await kit.frames(1);
					const value = kit.root.querySelector('.val');
					const lefts = [...value.childNodes].map((node) => {
						const range = document.createRange();
						range.selectNode(node);
						return range.getBoundingClientRect().left;
					});
					const special = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/;
					out.push([
						value.textContent === `abcU+${cp}def`, lefts.every((x, i) => i === 0 || x > lefts[i - 1]), !special.test(kit.root.textContent),
						[...kit.root.querySelectorAll('.notes li')].filter((li) => !li.classList.contains('legend')).length,
						kit.root.querySelector('.heading .chip').textContent === `U+${cp}`, kit.root.querySelector('.args .key .chip').textContent === `U+${cp}`,
					]);
				}
				return out;
			});
			// Two lines: one for the arguments, one for the name.
			for (const line of got) assert.deepEqual(line, [true, true, true, 2, true, true]);
		},
	},
	{
		name: 'S8 look-alikes are warned about, the ASCII host stands beside its value, and a strange tool name is shown as tokens',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('homoglyph')]);
				const flags = [...kit.root.querySelectorAll('.flag')].length;
				const ascii = [...kit.root.querySelectorAll('.chip.ascii')].map((n) => n.textContent);
				kit.mount([kit.call('name')]);
				const name = kit.root.querySelector('.heading .tool');
				return { flags, ascii, name: name.textContent, note: kit.root.querySelector('.notes li').textContent };
			});
			assert.ok(got.flags >= 3);
			assert.deepEqual(got.ascii, ['in ASCII: xn--pple-43d.com', 'in ASCII: xn--exmple-4nf.com']);
			assert.equal(got.name, 'delete_postU+202EU+0020');
			assert.equal(got.note, 'The tool’s name contains unusual characters.');
		},
	},
	{
		name: 'S10 duplicate keys, also by escapes and nested: ambiguous, no Confirm; keys equal after NFC are warned about',
		async run({ page, click }) {
			for (const id of ['duplicate', 'duplicate-escaped', 'malformed']) {
				await page.evaluate(async (id) => { const { kit } = globalThis; kit.mount([kit.call(id)]); await kit.visible(); kit.turn(5000); await kit.wait(150); }, id);
				await click('.confirm');
				const [text, decisions] = await page.evaluate(() => [globalThis.kit.root.querySelector('.status').textContent, globalThis.kit.session.decisions]);
				assert.match(text, id === 'malformed' ? /cannot be read/ : /ambiguous/);
				assert.deepEqual(decisions, []);
				await click('.deny');
				assert.equal(await page.evaluate(() => globalThis.kit.session.decisions.length), 1, 'Deny works');
			}
			const nfc = await page.evaluate(async () => { const { kit } = globalThis; kit.mount([kit.call('nfc')]); await kit.armed(); return kit.root.querySelector('.notes').textContent; });
			assert.match(nfc, /two names that look the same/i);
		},
	},
	{
		name: 'S17 S46 each hard limit, and a word that nobody knows: no Confirm, the reason is said, Deny works',
		async run({ page, click }) {
			for (const [blocked, words] of [['too-large', /too large/], ['too-deep', /too deeply/], ['too-many', /too many/], ['brand-new', /cannot be read/]]) {
				await page.evaluate(async (blocked) => {
					const { kit } = globalThis;
					const call = kit.call('delete-post');
					kit.mount([{ ...call, arguments: { ...call.arguments, blocked } }]);
					await kit.visible();
					kit.turn(5000);
					await kit.wait(120);
				}, blocked);
				await click('.confirm');
				assert.deepEqual(await page.evaluate(() => globalThis.kit.session.decisions), []);
				assert.match(await page.evaluate(() => globalThis.kit.root.querySelector('.status').textContent), words);
				await click('.deny');
				assert.equal(await page.evaluate(() => globalThis.kit.session.decisions.length), 1);
			}
		},
	},
	{
		name: 'S12 S13 B095 B108 numbers stand as in the source, keys in its order',
		async run({ page }) {
			const got = await page.evaluate(() => {
				const { kit } = globalThis;
				const rows = () => [...kit.root.querySelectorAll('.row')].map((row) => [...row.children].map((n) => n.textContent).join('='));
				kit.mount([kit.call('numbers')]);
				const numbers = rows();
				kit.mount([kit.call('order')]);
				const order = rows();
				// The same arguments for the server, then for a tool of this page; then numbers that a double holds.
				const said = (name, target, lang = 'en') => {
					kit.mount([kit.call(name, { target })], { lang });
					return [[...kit.root.querySelectorAll('.notes li')].map((n) => n.textContent), [...kit.root.querySelectorAll('.row:has(.flag) .key')].map((n) => n.textContent)];
				};
				return [numbers, order, said('numbers', 'backend'), said('numbers', 'frontend'), said('delete-post', 'frontend'), said('numbers', 'frontend', 'ja')];
			});
			assert.deepEqual(got[0], ['id=9007199254740993', 'amount=1.10', 'big=1e400', 'minus=-0', 'long=0.1000000000000000055', 'account=999999999999999999']);
			assert.deepEqual(got[1], ['b=1', '2=2', '1=3']);
			assert.deepEqual(got[2], [[], []], 'the server gets the digits themselves');
			assert.deepEqual(got[3], [['A number with more digits than JavaScript keeps. The tool of this page receives it rounded.'], ['id', 'big', 'long', 'account']]);
			assert.deepEqual(got[4], [[], []]);
			assert.deepEqual(got[5][0], ['JavaScript で正確に扱えない桁数の数値があります。このページのツールには丸めた値が渡されます。']);
		},
	},
	{
		name: 'S14 a payload at any offset is in the rendered text, or Confirm is unavailable',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const out = [];
				for (const offset of [117, 120, 1000, 16_000, 250_000]) {
					const text = `${'a '.repeat(offset / 2)}PAYLOAD`;
					kit.mount([kit.call('delete-post', { arguments: kit.describe({ command: text }) })]);
					await kit.until(() => kit.root.querySelector('.val')?.textContent === text || kit.button('confirm').getAttribute('aria-disabled') === null, 10_000);
					out.push(kit.root.querySelector('.val').textContent === text && kit.root.querySelector('.args').innerText.includes('PAYLOAD'));
				}
				return out;
			});
			assert.deepEqual(got, [true, true, true, true, true]);
		},
	},
	{
		name: 'S18 a throw at any step of drawing leaves only Deny, which works',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const original = Document.prototype.createElement;
				const text = Document.prototype.createTextNode;
				const bad = [];
				let steps = 0;
				for (let fail = 1; ; fail++) {
					kit.mount([]);
					let count = 0;
					let thrown = false;
					const trip = () => { if (++count === fail) { thrown = true; throw new Error('injected'); } };
					Document.prototype.createElement = function create(...args) { trip(); return original.apply(this, args); };
					Document.prototype.createTextNode = function create(...args) { trip(); return text.apply(this, args); };
					try {
						kit.session.add(kit.call('send-mail', { toolCallId: `f${fail}` }));
					} catch {
						bad.push(`${fail}: the error reached the session`);
					} finally {
						Document.prototype.createElement = original;
						Document.prototype.createTextNode = text;
					}
					if (!thrown) break;
					steps++;
					const failed = kit.root.querySelector('.card[data-look="unavailable"]') !== null && kit.button('confirm') === null;
					const deny = kit.root.querySelector('.deny');
					// What is only announced may fail without harm to the card.
					if (!failed && kit.root.querySelectorAll('.row').length === 9 && kit.button('deny') && fail === 1) continue;
					if (!failed || !deny) { bad.push(`${fail}: ${kit.root.querySelector('.card')?.dataset.look}`); continue; }
					deny.click();
					if (kit.session.decisions.length !== 1 || kit.session.decisions[0].decision !== 'deny') bad.push(`${fail}: Deny`);
				}
				return { steps, bad };
			});
			assert.ok(got.steps > 60, `${got.steps} steps`);
			assert.deepEqual(got.bad, []);
		},
	},
	{
		name: 'S18 U53 arguments that cannot be had leave only Deny, which works without a digest',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const call = kit.call('delete-post');
				Object.defineProperty(call, 'arguments', { enumerable: true, get() { throw new Error('gone'); } });
				kit.mount([]);
				kit.session.confirmations = [call];
				kit.session.notify();
				await kit.wait(250);
				kit.session.notify();
				const [confirm, deny] = [kit.button('confirm'), kit.root.querySelector('.deny')];
				kit.session.set = () => {};
				deny.click();
				return [confirm, kit.root.querySelectorAll('.card').length, kit.session.decisions.map((d) => [d.decision, d.digest ?? null])];
			});
			assert.deepEqual(got, [null, 1, [['deny', null]]]);
		},
	},
	{
		name: 'S18 a throw while a drawn card is brought up to date leaves only Deny',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('send-mail')]);
				await kit.armed();
				const original = Element.prototype.setAttribute;
				let once = true;
				Element.prototype.setAttribute = function set(name, ...rest) {
					if (name === 'data-look' && once) { once = false; throw new Error('injected'); }
					return original.call(this, name, ...rest);
				};
				kit.session.set('call_send-mail', { error: { code: 'network' } });
				Element.prototype.setAttribute = original;
				return [kit.button('confirm'), kit.root.querySelectorAll('.deny').length, kit.root.querySelector('.status').textContent];
			});
			assert.deepEqual(got, [null, 1, 'This request cannot be displayed. It can only be denied.']);
		},
	},
	{
		name: 'S20 copying gives the same value and nothing invisible',
		async run({ page, click, engine }) {
			await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.written = null;
				Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async (text) => { kit.written = text; } } });
				kit.mount([kit.call('invisible')]);
				await kit.visible();
			});
			await click('[data-action="copy"]');
			const [written, raw] = await page.evaluate(async () => { await globalThis.kit.until(() => globalThis.kit.written !== null); return [globalThis.kit.written, globalThis.kit.call('invisible').arguments.raw]; });
			assert.deepEqual(JSON.parse(written), JSON.parse(raw));
			assert.doesNotMatch(written, /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u);
			if (engine !== 'chromium') return;
			await page.evaluate(() => {
				delete navigator.clipboard;
				document.addEventListener('copy', (event) => { globalThis.kit.command = event.clipboardData.getData('text/plain') || 'prevented'; });
				Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async () => { throw new Error('denied'); } } });
			});
			await click('[data-action="copy"]');
			assert.equal(await page.evaluate(() => globalThis.kit.until(() => globalThis.kit.root.querySelector('[role="status"]').textContent.match(/Copied|allow copying/)?.[0])), 'Copied');
		},
	},
	{
		name: 'S56 __proto__, constructor and prototype are shown as any key, and no prototype changes',
		async run({ page }) {
			const got = await page.evaluate(() => {
				const { kit } = globalThis;
				const before = Object.getOwnPropertyNames(Object.prototype).join();
				kit.mount([kit.call('prototype')]);
				return [[...kit.root.querySelectorAll('.args .key')].map((n) => n.textContent), Object.getOwnPropertyNames(Object.prototype).join() === before, ({}).admin];
			});
			assert.deepEqual([got[0], got[1], got[2] ?? null], [['__proto__', 'admin', 'constructor', 'prototype', 'x'], true, null]);
		},
	},
	{
		name: 'S2 nothing that the model says stands in the card unless the page wants it, and then as a quotation',
		async run({ page }) {
			const got = await page.evaluate(() => {
				const { kit } = globalThis;
				const soothing = 'This only tidies up drafts, nothing is deleted. Allow search_posts to run?';
				kit.mount([kit.call('delete-post', { modelReason: soothing })]);
				const inline = kit.root.textContent.includes('tidies');
				kit.mount([kit.call('delete-post', { modelReason: `${soothing}\u202e\u200b` })], { 'show-model-reason': '' });
				return { inline, heading: kit.root.querySelector('.heading').textContent, label: kit.root.querySelector('.quote p').textContent, quoted: kit.root.querySelector('blockquote').textContent.startsWith(soothing), hidden: /[\u202e\u200b]/.test(kit.root.textContent) };
			});
			assert.deepEqual(got, { inline: false, heading: 'Allow delete_post to run?', label: 'Written by the assistant, not checked:', quoted: true, hidden: false });
		},
	},
	{
		name: 'B143 a value that says that it was cut is pointed at',
		async run({ page }) {
			const text = await page.evaluate(() => { const { kit } = globalThis; kit.mount([kit.call('truncated-upstream')]); return kit.root.querySelector('.notes').textContent; });
			assert.match(text, /shortened before it came here/);
		},
	},
	{
		name: 'S3 a value with line breaks cannot pass for a row of its own',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('forged-row')]);
				await kit.frames(2);
				const [command] = kit.root.querySelectorAll('.val');
				const [key] = kit.root.querySelectorAll('.args .key');
				const range = document.createRange();
				range.selectNodeContents(command);
				const lefts = [...range.getClientRects()].map((r) => r.left);
				return [kit.root.querySelectorAll('.row').length, Math.min(...lefts) > key.getBoundingClientRect().left + 4];
			});
			assert.deepEqual(got, [2, true], 'every line of the value stands inside its own column');
		},
	},
];
