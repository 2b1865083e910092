import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { black, blend, contrast, parseColor, readableOn, white } from '../../src/card/contrast.js';
import { escapeForCopy } from '../../src/card/copy.js';
import { frameState, parseOrigins } from '../../src/card/frame.js';
import { PressTracker } from '../../src/card/gesture.js';
import { Speaker } from '../../src/card/locale.js';
import { delay, maxExtension, Protection } from '../../src/card/protection.js';
import { advance } from '../../src/card/queue.js';
import { limitReason, sanitizeReason } from '../../src/card/reason.js';
import { cssText } from '../../src/card/styles.js';
import { chain, sources, tokens } from '../../src/card/theme.js';
import { nameTokens } from '../../src/card/tokens.js';
import { catalogFaults, languages, registerTexts, textsFor } from '../../src/card/texts/index.js';
import { looksCut } from '../../src/card/warnings.js';
import { stale, tables } from './report.js';

const card = fileURLToPath(new URL('../../src/card/', import.meta.url));
const docs = fileURLToPath(new URL('../../../docs/card.md', import.meta.url));

/** Every module of the card: name and text. */
function modules(folder = card) {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory()
		? modules(join(folder, entry.name)) : [{ name: entry.name, text: readFileSync(join(folder, entry.name), 'utf8') }]));
}

/** Without its comments. */
const code = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

test('U42 the style sheet reads the variables of the table and no others, each with a fallback', () => {
	const read = new Set([...cssText.matchAll(/var\((--(?!_)[\w-]+)/g)].map(([, name]) => name));
	const listed = new Set(tokens.flatMap(sources));
	assert.deepEqual([...read].sort(), [...listed].sort());
	for (const [, name, next] of cssText.matchAll(/var\((--(?!_)[\w-]+)(.)/g)) assert.equal(next, ',', `${name} has a fallback`);
	for (const token of tokens) assert.ok(cssText.includes(`--_${token.name}: ${chain(token)};`));
});

test('U42 the tables of docs/card.md are those that the code and the test results make', () => {
	assert.deepEqual(stale(), [], 'results.json knows every case: node web/test/card/report.js');
	const text = readFileSync(docs, 'utf8');
	for (const [name, table] of Object.entries(tables())) {
		const [, found] = new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)\n<!-- /${name} -->`).exec(text) ?? [];
		assert.equal(found, table, `${name}: node web/test/card/report.js`);
	}
});

test('U45 the style sheet has logical properties only', () => {
	const rules = cssText.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@[^{]+\{/g, '');
	const physical = /(?:^|[\s;{])(?:left|right|top|bottom|(?:margin|padding|border)-(?:left|right|top|bottom)[\w-]*|(?:min-|max-)?(?:width|height))\s*:/m;
	assert.doesNotMatch(rules, physical);
	assert.match('a { margin-left: 1px; }', physical);
	assert.doesNotMatch(cssText, /text-align:\s*(left|right)|float:/);
});

test('U37 the style sheet has no transition and no animation', () => {
	assert.doesNotMatch(cssText, /transition|animation|@keyframes|scroll-behavior/);
});

test('S51 S52 no module has a sink that parses, evaluates or writes inline styles', () => {
	for (const { name, text } of modules()) {
		assert.doesNotMatch(code(text), /innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|document\.write|\beval\(|new Function|setHTML|\.cssText\s*=|\.style\.(?!removeProperty|setProperty|getPropertyValue)|setAttribute\(['"](?:style|on)/, name);
	}
});

test('S62 no module logs anything that came with a call', () => {
	for (const { name, text } of modules()) {
		for (const [line] of code(text).matchAll(/console\.\w+\([^\n]*/g)) {
			assert.match(line, /^console\.warn\((?:'sveda-confirmation: [^$]*'|`sveda-confirmation: theme colors[^$]*\$\{list\}`)\);?/, `${name}: ${line}`);
		}
	}
});

test('S68 the card imports nothing from outside the package', () => {
	for (const { name, text } of modules()) {
		for (const [, from] of text.matchAll(/^(?:import|export)[^'"\n]* from '([^']+)'/gm)) assert.match(from, /^\.\.?\//, `${name} imports ${from}`);
	}
});

test('U44 all catalogs have the same keys, no empty text, every plural form, the same placeholders', () => {
	const { texts: en } = textsFor('en');
	const holes = (text) => [...new Set((typeof text === 'string' ? [text] : Object.values(text)).flatMap((t) => t.match(/\{[a-z]+\}/g) ?? []))].sort();
	for (const lang of languages()) {
		const { texts, lang: spoken } = textsFor(lang);
		assert.equal(spoken, lang);
		assert.deepEqual(catalogFaults(lang, texts), [], lang);
		assert.deepEqual(Object.keys(texts), Object.keys(en), `${lang}: same order`);
		for (const key of Object.keys(en)) assert.deepEqual(holes(texts[key]), holes(en[key]), `${lang}.${key}`);
	}
	assert.deepEqual(languages(), ['en', 'es', 'zh-TW', 'ja', 'ar']);
});

test('U44 languages resolve to the nearest catalog, unknown ones to English', () => {
	const want = { 'en-GB': 'en', 'es-419': 'es', 'zh-Hant': 'zh-TW', 'zh-HK': 'zh-TW', 'zh-tw': 'zh-TW', zh: 'en', 'zh-CN': 'en', 'ja-JP': 'ja', 'ar-EG': 'ar', de: 'en', '': 'en', 'x-?': 'en' };
	for (const [tag, lang] of Object.entries(want)) assert.equal(textsFor(tag).lang, lang, tag);
	assert.equal(new Speaker('ar').dir, 'rtl');
});

test('U44 an incomplete catalog is refused with what is wrong', () => {
	assert.throws(() => registerTexts('nl', { ...textsFor('en').texts, deny: ' ', extra: 'x' }), (error) => error.code === 'invalid-texts' && /unknown key extra/.test(error.message) && /no text for deny/.test(error.message));
	assert.throws(() => registerTexts('not a tag', textsFor('en').texts), { code: 'invalid-texts' });
	assert.throws(() => registerTexts('ar-EG', { ...textsFor('en').texts }), (error) => /hiddenRows\.two/.test(error.message));
});

test('U50 the labels are verbs of the act, as suggested', () => {
	const labels = (lang) => ['confirm', 'deny', 'allowOnce', 'allowChat', 'sendDeny'].map((key) => new Speaker(lang).say(key));
	assert.deepEqual(labels('en'), ['Confirm', 'Deny', 'Allow once', 'Allow for this chat', 'Send deny']);
	assert.deepEqual(labels('es'), ['Confirmar', 'Denegar', 'Permitir una vez', 'Permitir en este chat', 'Enviar denegación']);
	assert.deepEqual(labels('zh-TW'), ['確認（允許）', '拒絕', '僅此次允許', '本次對話皆允許', '送出拒絕']);
	assert.deepEqual(labels('ja'), ['許可', '拒否', '今回のみ許可', 'このチャットで許可', '拒否を送信']);
	assert.deepEqual(labels('ar'), ['تأكيد', 'رفض', 'السماح مرة واحدة', 'السماح في هذه المحادثة', 'إرسال الرفض']);
});

test('W30 the traditional Chinese texts are those of the consent modal', () => {
	const speaker = new Speaker('zh-TW');
	assert.equal(speaker.say('heading', { tool: 'x' }), '允許使用工具「x」？');
	assert.deepEqual([speaker.say('toolset', { toolset: 's' }), speaker.say('reasonLabel'), speaker.say('reasonPlaceholder'), speaker.say('counter', { i: 1, n: 4 }), speaker.say('argumentsLabel')],
		['工具集：s', '拒絕原因（選填）', '告訴 AI 你為什麼拒絕此次工具呼叫。', '1 / 4 個待處理工具呼叫', '輸入內容']);
});

test('U44 plural forms and numbers follow the language, and a name cannot fill another placeholder', () => {
	assert.deepEqual([0, 1, 2, 3, 11, 100].map((n) => new Speaker('ar').say('hiddenRows', { n })).map((t) => t.replace(/[\d٠-٩]+/, '#')), ['# صف', 'صف واحد', 'صفان', '# صفوف', '# صفًا', '# صف']);
	assert.equal(new Speaker('en').say('moreWaiting', { n: 1234 }), '1,234 more waiting');
	assert.equal(new Speaker('en').say('argumentsOf', { tool: '{n} {tool}' }), 'Arguments of {n} {tool}');
});

test('S21 the protection time: 500 ms in view, restarted by early activations for at most 10 s', () => {
	const protection = new Protection();
	assert.equal(protection.accepts(1e9), false, 'never in view');
	protection.resume(1000);
	for (const [at, want] of [[1000, false], [1250, false], [1499, false], [1500, true], [1510, true]]) assert.equal(protection.accepts(at), want, `${at}`);
	protection.early(1400);
	assert.equal(protection.armedAt, 1900);
	for (let at = 1800; at < 40_000; at += 400) protection.early(at);
	assert.equal(protection.armedAt, 1000 + delay + maxExtension);
	protection.restart(50_000);
	assert.equal(protection.armedAt, 50_500);
	protection.suspend();
	assert.equal(protection.accepts(60_000), false);
	protection.resume(70_000);
	assert.equal(protection.armedAt, 70_500);
	protection.resume(70_400);
	assert.equal(protection.armedAt, 70_500, 'in view already');
});

/** A tracker with two buttons, and makers of events. */
function gestures() {
	const [confirm, other] = [new EventTarget(), new EventTarget()];
	const tracker = new PressTracker((target) => target === confirm || target === other, (event) => event.at);
	const event = (at, path, more) => ({ at, composedPath: () => path, ...more });
	return {
		confirm, other, tracker,
		down: (at, path) => tracker.pointerDown(event(at, path)),
		up: (at) => tracker.pointerEnd(event(at, [])),
		key: (at, path, more) => tracker.keyDown(event(at, path, { key: 'Enter', keyCode: 13, repeat: false, isComposing: false, ...more })),
		keyUp: (at, key = 'Enter') => tracker.keyUp(event(at, [], { key })),
		click: (at, more) => tracker.judge(event(at, [], { isTrusted: true, detail: 1, ...more }), confirm),
	};
}

test('S25 a trusted click without key or pointer events is accepted, one by a script is not', () => {
	const g = gestures();
	assert.deepEqual(g.click(600, { detail: 0 }), { verdict: 'ok', startedAt: 600 });
	assert.deepEqual(g.click(600), { verdict: 'ok', startedAt: 600 });
	assert.equal(g.click(700, { isTrusted: false }).verdict, 'untrusted');
});

test('S25 held Enter: from before, 0; on the button, once', () => {
	const g = gestures();
	g.key(0, ['somewhere']);
	for (let at = 500; at < 2500; at += 33) {
		g.key(at, [g.confirm], { repeat: true });
		assert.notEqual(g.click(at, { detail: 0 }).verdict, 'ok');
	}
	g.keyUp(2500);
	g.key(3000, [g.confirm]);
	assert.deepEqual(g.click(3000, { detail: 0 }), { verdict: 'ok', startedAt: 3000 });
	for (let at = 3500; at < 3800; at += 33) {
		g.key(at, [g.confirm], { repeat: true });
		assert.equal(g.click(at, { detail: 0 }).verdict, 'repeat');
	}
});

test('S30 a key that belongs to a composition never counts, in the order of each browser', () => {
	for (const more of [{ isComposing: true }, { keyCode: 229 }, { isComposing: true, keyCode: 229 }]) {
		const g = gestures();
		g.key(600, [g.confirm], more);
		assert.equal(g.click(600, { detail: 0 }).verdict, 'composing');
	}
});

test('S24 S27 S28 only the press that began on the button counts, and a second click only after a first on it', () => {
	const g = gestures();
	g.down(0, ['elsewhere']);
	g.up(50);
	assert.equal(g.click(60).verdict, 'foreign-press');
	g.down(100, [g.other]);
	g.up(150);
	assert.equal(g.click(151).verdict, 'foreign-press');
	g.down(200, [g.confirm]);
	g.up(250);
	assert.equal(g.click(251, { detail: 2 }).verdict, 'ok', 'the second of two on the same button');
	const fresh = gestures();
	fresh.down(300, [fresh.confirm]);
	assert.equal(fresh.click(310, { detail: 2 }).verdict, 'double-click');
	const stale = gestures();
	stale.down(0, ['elsewhere']);
	stale.up(10);
	assert.equal(stale.click(5000).verdict, 'ok', 'assistive technology, long after some other press');
});

test('U58 S35 over 10,000 random schedules the live call is never replaced while it waits, and comes first in, first out', () => {
	let seed = 3;
	const random = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
	const states = ['pending', 'deciding', 'approved', 'denied', 'expired', 'answered-elsewhere'];
	let changes = 0;
	for (let round = 0; round < 10_000; round++) {
		let list = [];
		let live = null;
		for (let step = 0; step < 12; step++) {
			if (list.length === 0 || random(2)) list = [...list, { toolCallId: `${round}-${step}`, state: 'pending' }];
			else { const pick = random(list.length); list = list.map((c, i) => (i === pick ? { ...c, state: states[random(6)] } : c)); }
			const before = list.find((c) => c.toolCallId === live);
			const next = advance(live, list);
			const pending = list.filter((c) => c.state === 'pending');
			if (before?.state === 'pending') assert.equal(next.live, before);
			else if (pending.length > 0) { assert.equal(next.live, pending[0]); changes++; }
			assert.equal(next.waiting, pending.filter((c) => c !== next.live).length);
			assert.ok(!next.lines.includes(next.live));
			live = next.live?.toolCallId ?? null;
		}
	}
	assert.ok(changes > 10_000);
});

test('U55 reasons lose control and bidi characters and are cut in whole code points', () => {
	assert.equal(sanitizeReason(' a\u202eb\u0000c\r\nd\u2066 '), 'abc d');
	assert.equal(sanitizeReason('\ud83d'), '');
	assert.equal([...sanitizeReason('😀'.repeat(501))].length, 500);
	assert.equal([...limitReason(`${'😀'.repeat(500)}x`)].length, 500);
	for (let cp = 0; cp < 0x20; cp++) assert.doesNotMatch(sanitizeReason(`a${String.fromCodePoint(cp)}b`), /\p{Cc}/u);
});

test('S20 copies round-trip and hold nothing invisible, for every special character', () => {
	const all = [0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200e, 0x202a, 0x202e, 0x2028, 0x2060, 0x2066, 0x3000, 0xa0, 0x3164, 0xfe0f, 0xfeff, 0xe000, 0xe0041, 0xe01ef, 0x1d173, 0xf0000];
	const raw = JSON.stringify({ [`k${all.map((cp) => String.fromCodePoint(cp)).join('x')}`]: 'v👩‍👩‍👧 ❤️é北' });
	const copied = escapeForCopy(raw);
	assert.deepEqual(JSON.parse(copied), JSON.parse(raw));
	assert.doesNotMatch(copied, /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u);
	assert.match(copied, /é北/);
	assert.equal(escapeForCopy('{\n\t"a": 1.10}'), '{\n\t"a": 1.10}');
});

test('S8 a name without tokens of its own shows everything unusual as a label', () => {
	assert.deepEqual(nameTokens('delete_post.v2:x/y-z'), [{ t: 'text', s: 'delete_post.v2:x/y-z' }]);
	assert.deepEqual(nameTokens(' pаy\u202e'), [{ t: 'char', cp: 'U+0020' }, { t: 'text', s: 'p' }, { t: 'char', cp: 'U+0430' }, { t: 'text', s: 'y' }, { t: 'char', cp: 'U+202E' }]);
});

test('B143 marks of a cut are found, and ordinary ends are not', () => {
	for (const text of ['abc...(+1060 chars)', 'abc… [truncated]', 'x ... (12 more characters)', 'y...[1,024 bytes omitted]']) assert.equal(looksCut([{ t: 'text', s: text }]), true, text);
	for (const text of ['and so on...', 'f(x)', 'a (12 chars)', '', 'truncated', 'wait…']) assert.equal(looksCut([{ t: 'text', s: text }]), false, text);
});

test('S31 ancestors: one’s own origin and listed ones, opaque and unknown ones never', () => {
	const window = (origins, parent = {}) => ({ parent, location: { origin: 'https://me.example', ancestorOrigins: origins } });
	const allowed = parseOrigins(' https://a.example/path  https://b.example:8443 ');
	assert.deepEqual([...allowed], ['https://a.example', 'https://b.example:8443']);
	const self = window([]);
	self.parent = self;
	assert.equal(frameState(self, allowed), 'ok');
	for (const [origins, want] of [[['https://a.example'], 'ok'], [['https://me.example', 'https://b.example:8443'], 'ok'], [['https://a.example', 'https://evil.example'], 'framed'], [['null'], 'framed'], [['http://a.example'], 'framed']]) {
		assert.equal(frameState(window(origins), allowed), want, origins.join());
	}
	const opaque = { parent: {}, location: { origin: 'null', ancestorOrigins: ['null'] } };
	assert.equal(frameState(opaque, allowed), 'framed', 'two opaque origins are not one');
	// Where the browser does not tell: only what may be read.
	const foreign = { get location() { throw new Error('cross-origin'); } };
	foreign.parent = foreign;
	assert.equal(frameState(window(undefined, foreign), allowed), 'framed');
	const same = { location: { origin: 'https://me.example' } };
	same.parent = same;
	assert.equal(frameState(window(undefined, same), allowed), 'ok');
});

test('the module can be imported where there is no page', async () => {
	const api = await import('../../src/card/index.js');
	assert.equal(typeof api.SvedaConfirmation, 'function');
	assert.equal(globalThis.customElements, undefined);
});

test('U41 contrast: known pairs, transparent colors, and a text for every background', () => {
	assert.equal(contrast(black, white).toFixed(1), '21.0');
	assert.deepEqual(parseColor('rgba(255, 0, 0, 0.5)'), [255, 0, 0, 0.5]);
	assert.deepEqual(parseColor('color(srgb 1 0.5 0 / 0.25)'), [255, 127.5, 0, 0.25]);
	assert.deepEqual(parseColor('rgb(1 2 3)'), [1, 2, 3, 1]);
	assert.deepEqual(blend([255, 255, 255, 0.5], [0, 0, 0, 1]), [127.5, 127.5, 127.5, 1]);
	for (let level = 0; level < 256; level++) assert.ok(contrast(readableOn([level, level, level, 1]), [level, level, level, 1]) >= 4.5);
});
