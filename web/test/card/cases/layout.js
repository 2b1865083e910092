import assert from 'node:assert/strict';

/** @import { Case } from '../support/run.js' */

/** In the page: contrast of every text of the card against what is behind it. */
const contrasts = () => {
	const { root } = globalThis.kit;
	const channels = (color) => {
		const numbers = color.match(/[\d.]+(e-?\d+)?/g).map(Number);
		const scale = color.startsWith('color(') ? 255 : 1;
		return [numbers[0] * scale, numbers[1] * scale, numbers[2] * scale, numbers[3] ?? 1];
	};
	const light = ([r, g, b]) => [r, g, b].map((c) => { const v = c / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
	const behind = (node) => {
		const layers = [];
		for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
			const style = getComputedStyle(at);
			const image = style.backgroundImage.match(/(rgba?|color)\([^)]*\)/)?.[0];
			if (image) layers.push(channels(image));
			layers.push(channels(style.backgroundColor));
		}
		return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
	};
	const ratio = (a, b) => { const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y); return (bright + 0.05) / (dark + 0.05); };
	const out = { text: [], edges: [], sizes: [] };
	for (const node of root.querySelectorAll('.card *, .surface *')) {
		if (!node.checkVisibility()) continue;
		const style = getComputedStyle(node);
		const ground = behind(node);
		if ([...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) {
			out.text.push([node.className || node.localName, ratio(over(channels(style.color), ground), ground)]);
			out.sizes.push([node.className || node.localName, parseFloat(style.fontSize)]);
		}
		if (node.localName === 'button') {
			const around = behind(node.parentElement);
			out.edges.push([node.dataset.action ?? 'button', Math.max(ratio(over(channels(style.borderBlockStartColor), around), around), ratio(ground, around))]);
		}
	}
	return { text: out.text.filter(([, r]) => r < 4.5), edges: out.edges.filter(([, r]) => r < 3), small: out.sizes.filter(([, px]) => px < 12), seen: out.text.length };
};

const states = {
	pending: {}, sending: { state: 'deciding', decision: 'approve' }, failed: { error: { code: 'network' } },
	approved: { state: 'approved' }, elsewhere: { state: 'answered-elsewhere' }, expired: { state: 'expired' }, unknown: { state: 'outcome-unknown' },
};

/** @type {Case[]} */
export const layout = [
	{
		name: 'U33 at 320 px and at 400 % zoom nothing scrolls in two directions and no control is lost',
		async run({ page, engine, limits }) {
			if (engine === 'webkit') limits('the window of MiniBrowser is never narrower than about 450 px');
			// 1280 x 1024 at 400 % is 320 x 256 CSS pixels.
			for (const [width, height] of [[320, 640], [320, 256]]) {
				await page.resize(width, height);
				for (const variant of ['inline', 'modal']) {
					const got = await page.evaluate(async (variant) => {
						const { kit } = globalThis;
						kit.mount([kit.call('send-mail', { toolset: 'mail', currentIndex: 1, totalCount: 4, alreadyAsked: 3 })], { variant, 'allow-remember': '', 'allow-stop': '', lang: 'es' });
						await kit.frames(4);
						const lost = [...kit.root.querySelectorAll('.card button')].filter((n) => n.checkVisibility()).filter((n) => {
							n.scrollIntoView({ block: 'center' });
							const r = n.getBoundingClientRect();
							return r.left < -1 || r.right > innerWidth + 1 || r.top < -1 || r.bottom > innerHeight + 1;
						}).map((n) => n.dataset.action);
						const wide = document.documentElement.scrollWidth > innerWidth + 1;
						return { lost, wide };
					}, variant);
					assert.deepEqual(got, { lost: [], wide: false }, `${variant} ${width}x${height}`);
				}
			}
		},
	},
	{
		name: 'U35 U43 targets are at least 24 px, 8 px apart from approving ones; Confirm and Deny are of one size; the accent fills only the narrow grant',
		async run({ page }) {
			for (const [lang, variant] of [['en', 'inline'], ['ar', 'modal'], ['zh-TW', 'modal'], ['es', 'inline'], ['ja', 'modal']]) {
				const got = await page.evaluate(async ([lang, variant]) => {
					const { kit } = globalThis;
					kit.mount([kit.call('send-mail')], { lang, variant, 'allow-remember': '', 'allow-stop': '' });
					await kit.armed();
					const boxes = [...kit.root.querySelectorAll('.card button')].filter((n) => n.checkVisibility()).map((n) => ({ what: n.dataset.action, r: n.getBoundingClientRect(), fill: getComputedStyle(n).backgroundColor }));
					const gap = (a, b) => Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom);
					const approving = boxes.filter((b) => /confirm|allow/.test(b.what));
					const near = approving.flatMap((a) => boxes.filter((b) => b !== a && gap(a.r, b.r) < 7.99).map((b) => `${a.what}-${b.what}`));
					const area = (what) => { const { r } = boxes.find((b) => b.what === what); return r.width * r.height; };
					return {
						small: boxes.filter(({ r }) => r.width < 24 || r.height < 24).map((b) => b.what), near,
						ratio: area('confirm') / area('deny'), filled: boxes.filter((b) => !/rgba\(0, 0, 0, 0\)|transparent/.test(b.fill)).map((b) => b.what),
						wide: area('allowChat') / area('confirm'),
					};
				}, [lang, variant]);
				assert.deepEqual([got.small, got.near, got.filled], [[], [], ['confirm']], `${lang} ${variant}`);
				assert.ok(got.ratio > 0.9 && got.ratio < 1.1, `areas ${got.ratio}`);
				assert.ok(got.wide < 0.9, 'the widest grant is the smaller button');
			}
		},
	},
	{
		name: 'U35 targets are at least 44 px on coarse pointers',
		engines: ['chromium'],
		why: 'its driver cannot make the pointer coarse',
		async run({ page, open }) {
			await page.raw.setViewport({ width: 320, height: 700, hasTouch: true, isMobile: true });
			await open('/test/card/pages/card.html');
			const small = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('send-mail')], { 'allow-remember': '', 'two-step-deny': '' });
				await kit.frames(3);
				return [matchMedia('(pointer: coarse)').matches, [...kit.root.querySelectorAll('.card button')].filter((n) => n.checkVisibility()).filter((n) => { const r = n.getBoundingClientRect(); return r.width < 44 || r.height < 44; }).map((n) => n.dataset.action)];
			});
			await page.raw.setViewport({ width: 900, height: 800, hasTouch: false, isMobile: false });
			assert.deepEqual(small, [true, []]);
		},
	},
	{
		name: 'U37 nothing moves: no transition, animation or smooth scrolling, with or without reduced motion',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('many-keys')], { 'allow-remember': '', 'two-step-deny': '' });
				await kit.frames(2);
				const seconds = (list) => list.split(',').map((t) => parseFloat(t) * (t.includes('ms') ? 0.001 : 1));
				return [...kit.root.querySelectorAll('*')].filter((n) => {
					const s = getComputedStyle(n);
					return seconds(s.transitionDuration).some((t) => t > 0.01) || seconds(s.animationDuration).some((t) => t > 0.01) || s.scrollBehavior === 'smooth';
				}).map((n) => n.className || n.localName);
			});
			assert.deepEqual(got, []);
		},
	},
	{
		name: 'U38 in forced colors buttons have an edge, focus changes pixels, and warnings have a sign and words',
		engines: ['chromium'],
		why: 'its driver cannot force colors',
		async run({ page, picture }) {
			const client = await page.raw.createCDPSession();
			await client.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
			await page.evaluate(async () => { globalThis.kit.mount([globalThis.kit.call('bidi')]); await globalThis.kit.armed(); });
			const got = await page.evaluate(() => ({
				edges: ['deny', 'confirm', 'copy'].every((a) => { const s = getComputedStyle(globalThis.kit.button(a)); return parseFloat(s.borderBlockStartWidth) >= 1 && s.borderBlockStartColor !== getComputedStyle(globalThis.kit.root.querySelector('.card')).backgroundColor; }),
				sign: globalThis.kit.root.querySelector('.notes svg').checkVisibility(), words: globalThis.kit.root.querySelector('.notes-title').textContent,
			}));
			assert.deepEqual(got, { edges: true, sign: true, words: 'Look closely:' });
			for (const action of ['deny', 'confirm']) {
				const box = await page.evaluate((a) => globalThis.kit.at(`[data-action="${a}"]`), action);
				const clip = { x: box.x - box.width / 2 - 8, y: box.y - box.height / 2 - 8, width: box.width + 16, height: box.height + 16 };
				const before = await page.raw.screenshot({ clip });
				await page.evaluate(() => globalThis.kit.root.querySelector('.heading').focus());
				for (let i = 0; i < 6 && (await page.evaluate(() => globalThis.kit.active())) !== action; i++) await page.press('Tab');
				const after = await page.raw.screenshot({ clip });
				assert.ok(Buffer.compare(before, after) !== 0, `${action}: focus is seen`);
				await page.evaluate(() => globalThis.kit.root.activeElement?.blur());
			}
			await page.screenshot(picture('forced-colors'));
			await client.send('Emulation.setEmulatedMedia', { features: [] });
			await client.detach();
		},
	},
	{
		name: 'U39 light and dark: text 4.5:1 and edges 3:1 in every state',
		async run({ page }) {
			for (const theme of ['light', 'dark']) {
				for (const [state, more] of Object.entries(states)) {
					for (const armed of state === 'pending' ? [false, true] : [false]) {
						await page.evaluate(async ([theme, more, armed]) => {
							const { kit } = globalThis;
							kit.mount([kit.call('homoglyph', more)], { theme, 'allow-remember': '', 'allow-stop': '' });
							if (armed) await kit.armed();
						}, [theme, more, armed]);
						const got = await page.evaluate(contrasts);
						assert.ok(got.seen > 0);
						assert.deepEqual([got.text, got.edges, got.small], [[], [], []], `${theme} ${state} ${armed}`);
					}
				}
				await page.evaluate(async (theme) => { const { kit } = globalThis; kit.mount([kit.call('delete-post')], { theme, 'two-step-deny': '' }); kit.button('deny').click(); await kit.frames(1); }, theme);
				const got = await page.evaluate(contrasts);
				assert.deepEqual([got.text, got.edges, got.small], [[], [], []], `${theme} reason`);
			}
		},
	},
	{
		name: 'U41 no value of the theme variables, and nothing that the page lets inherit, blanks the card',
		async run({ page }) {
			const values = ['#888', '#fff', '#000', 'transparent', 'rgba(255,255,255,.02)', 'red', 'not-a-color', '0', '1px'];
			for (const value of values) {
				for (const theme of ['light', 'dark']) {
					await page.evaluate(async ([value, theme]) => {
						const { kit } = globalThis;
						const place = document.getElementById('place');
						place.className = 'shout';
						for (const token of kit.api.themeTokens) place.style.setProperty(`--sveda-confirmation-${token.name}`, value);
						kit.mount([kit.call('homoglyph')], { theme, 'allow-remember': '' });
						await kit.frames(2);
					}, [value, theme]);
					const got = await page.evaluate(contrasts);
					assert.deepEqual([got.text, got.edges, got.small], [[], [], []], `${value} ${theme}`);
					assert.ok(await page.evaluate(() => {
						const { kit } = globalThis;
						const style = getComputedStyle(kit.root.querySelector('.val'));
						return style.textTransform === 'none' && style.visibility === 'visible' && style.letterSpacing === 'normal';
					}));
				}
			}
			const warned = await page.evaluate(() => globalThis.kit.seen.warnings.some((w) => w.includes('were replaced')));
			assert.ok(warned, 'the console says so');
		},
	},
	{
		name: 'U41 effects of the page that make the card unreadable make Confirm unavailable, with a warning',
		async run({ page }) {
			for (const effect of ['dim', 'blurred', 'tiny']) {
				const got = await page.evaluate(async (effect) => {
					const { kit } = globalThis;
					document.getElementById('place').className = effect;
					kit.mount([kit.call('delete-post')]);
					await kit.until(() => { kit.turn(700); return kit.root.querySelector('.status').textContent.startsWith('The colors'); });
					const bad = [kit.root.querySelector('.status').textContent, kit.button('confirm').getAttribute('aria-disabled'), kit.seen.warnings.length > 0];
					document.getElementById('place').className = '';
					await kit.armed();
					return bad;
				}, effect);
				assert.deepEqual(got, ['The colors or effects of this page make the request hard to read. It can only be denied.', 'true', true], effect);
			}
		},
	},
	{
		name: 'W31 an override on any ancestor wins over a brand theme, Sveda and Asgard tokens are honored, and no style attribute is written',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const place = document.getElementById('place');
				const colors = () => {
					const card = getComputedStyle(kit.root.querySelector('.card'));
					const confirm = getComputedStyle(kit.button('confirm'));
					return [card.backgroundImage.match(/rgb[^)]*\)/)[0], confirm.backgroundColor, getComputedStyle(kit.button('deny')).color];
				};
				const out = {};
				place.className = 'theme-a';
				kit.mount([kit.call('delete-post')], { variant: 'modal' });
				kit.card.brand = { chatbot: { backgroundColor: '#fef', primaryComponent: { mainColor: '#123456' } }, userMessage: { backgroundColor: 'var(--asg-color-primary)' } };
				await kit.armed();
				out.override = colors();
				out.inline = kit.card.hasAttribute('style') || kit.root.querySelector('[style]') !== null || document.body.hasAttribute('style');
				place.className = '';
				kit.mount([kit.call('delete-post')]);
				kit.card.brand = { chatbot: { mainColor: '#00f', backgroundColor: '#ffe', primaryComponent: { mainColor: '#123456' } }, userMessage: { backgroundColor: '#f00' } };
				await kit.armed();
				out.brand = colors().slice(0, 2);
				kit.card.brand = { chatbot: { mainColor: '#005500' }, userMessage: { backgroundColor: '#f00' } };
				await kit.armed();
				out.second = colors()[1];
				kit.card.brand = { userMessage: { backgroundColor: '#550000' } };
				await kit.armed();
				out.third = colors()[1];
				out.readable = getComputedStyle(kit.button('confirm')).color;
				place.className = 'theme-sveda';
				kit.card.brand = null;
				await kit.armed();
				out.sveda = colors().slice(0, 2);
				return out;
			});
			assert.deepEqual(got.override, ['rgb(15, 23, 42)', 'rgb(99, 102, 241)', 'rgb(239, 68, 68)']);
			assert.equal(got.inline, false);
			assert.deepEqual(got.brand, ['rgb(255, 255, 238)', 'rgb(18, 52, 86)']);
			assert.deepEqual([got.second, got.third, got.readable], ['rgb(0, 85, 0)', 'rgb(85, 0, 0)', 'rgb(255, 255, 255)']);
			assert.deepEqual(got.sveda, ['rgb(249, 242, 236)', 'rgb(13, 115, 81)']);
		},
	},
	{
		name: 'W29 two modals lock the page’s scrolling and give it back whatever closes first',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				document.body.style.overflow = 'auto';
				const overflow = () => getComputedStyle(document.body).overflow;
				const make = () => {
					const card = document.createElement('clocked-confirmation');
					card.setAttribute('variant', 'modal');
					document.getElementById('place').append(card);
					card.session = new kit.Session([kit.call('delete-post')]);
					return card;
				};
				const [a, b] = [make(), make()];
				const ids = [...document.querySelectorAll('[id]')].map((n) => n.id);
				const out = [overflow()];
				a.remove();
				out.push(overflow());
				b.session.set('call_delete-post', { state: 'expired' });
				out.push(overflow(), document.body.style.overflow, new Set(ids).size === ids.length);
				b.remove();
				return out;
			});
			assert.deepEqual(got, ['hidden', 'hidden', 'auto', 'auto', true]);
		},
	},
	{
		name: 'U45 U46 Arabic is mirrored, the arguments and the tool name stay left to right and isolated in every language',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const out = [];
				for (const lang of ['en', 'es', 'zh-TW', 'ja', 'ar']) {
					kit.mount([kit.call('arabic')], { lang });
					await kit.frames(1);
					const root = kit.root.querySelector('.root');
					const deny = kit.button('deny').getBoundingClientRect();
					const confirm = kit.button('confirm').getBoundingClientRect();
					const isolate = (n) => { const s = getComputedStyle(n); return s.direction === 'ltr' && /isolate/.test(s.unicodeBidi); };
					out.push([root.lang, root.dir, deny.left < confirm.left, isolate(kit.root.querySelector('.args')), [...kit.root.querySelectorAll('.args .key, .args .val, .tool')].every(isolate)]);
				}
				return out;
			});
			assert.deepEqual(got, [['en', 'ltr', true, true, true], ['es', 'ltr', true, true, true], ['zh-TW', 'ltr', true, true, true], ['ja', 'ltr', true, true, true], ['ar', 'rtl', false, true, true]]);
		},
	},
	{
		name: 'U44 changing the language keeps state, protection time, focus, reason and scroll; an unknown one is English',
		async run({ page, click }) {
			await page.evaluate(async () => { const { kit } = globalThis; kit.mount([kit.call('many-keys')], { 'two-step-deny': '' }); await kit.armed(); });
			await click('.deny');
			await page.type('because');
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.root.querySelector('.body').scrollTop = 120;
				const node = kit.root.querySelector('.card');
				const out = [];
				for (const lang of ['ar', 'ja', 'fr-CA', 'zh-Hant-HK', 'zh-CN', 'es-MX']) {
					kit.card.setAttribute('lang', lang);
					await kit.frames(2);
					out.push([kit.root.querySelector('.root').lang, kit.button('sendDeny').textContent]);
				}
				return { out, same: kit.root.querySelector('.card') === node, active: kit.active(), reason: kit.root.querySelector('textarea').value, scroll: kit.root.querySelector('.body').scrollTop };
			});
			assert.deepEqual(got.out, [['ar', 'إرسال الرفض'], ['ja', '拒否を送信'], ['en', 'Send deny'], ['zh-TW', '送出拒絕'], ['en', 'Send deny'], ['es', 'Enviar denegación']]);
			assert.deepEqual([got.same, got.active, got.reason, got.scroll], [true, 'reason', 'because', 120]);
			const armed = await page.evaluate(async () => {
				const { kit } = globalThis;
				kit.mount([kit.call('delete-post')]);
				await kit.armed();
				kit.card.setAttribute('lang', 'ar');
				await kit.frames(3);
				await kit.wait(250);
				return kit.button('confirm').getAttribute('aria-disabled');
			});
			assert.equal(armed, null, 'the protection time does not start again');
		},
	},
	{
		name: 'U44 a page adds a language of its own',
		async run({ page }) {
			const got = await page.evaluate(async () => {
				const { kit } = globalThis;
				const { textsFor } = await import('/src/card/texts/index.js');
				kit.mount([kit.call('delete-post')], { lang: 'nl' });
				const before = kit.button('deny').textContent;
				const code = (() => { try { kit.api.registerTexts('nl', { deny: 'Weigeren' }); return null; } catch (error) { return error.code; } })();
				kit.api.registerTexts('nl', { ...textsFor('en').texts, deny: 'Weigeren' });
				return [before, code, kit.button('deny').textContent, kit.root.querySelector('.root').lang];
			});
			assert.deepEqual(got, ['Deny', 'invalid-texts', 'Weigeren', 'nl']);
		},
	},
];
