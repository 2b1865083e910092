import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEndpoint, pathSegment } from '../../dist/url.js';
import { joinHeaders, retryAfter } from '../../dist/headers.js';
import { isInexact } from '../../dist/numbers.js';
import { deepFreeze, stringify } from '../../dist/json.js';

test('S70 endpoints are https, this machine, or of the page', () => {
	for (const good of [
		'https://a.example/sveda/stream', 'http://localhost:8787/x', 'http://127.0.0.1/x', 'http://[::1]:1/x', 'http://app.localhost/x',
		'/sveda/stream', 'sveda/stream', new URL('https://a.example/'),
	]) {
		assert.equal(checkEndpoint(good, 'stream'), String(good));
	}
	for (const bad of [
		'http://a.example/x', 'javascript:alert(1)', 'data:text/plain,x', 'file:///etc/passwd', 'ftp://a.example/', 'https://u:p@a.example/',
		'https://u@a.example/', 'http://localhost.evil.example/', 'http://127.0.0.1.evil.example/', 'blob:https://a.example/1',
		'JAVASCRIPT:x', ' javascript:x', 'https://', 'ws://a.example', 'http://[::2]/x',
	]) {
		assert.throws(() => checkEndpoint(bad, 'stream'), (/** @type {any} */ error) => {
			return error.code === 'invalid-endpoint' && !error.message.includes(bad) && error.message.includes('"stream"');
		}, bad);
	}
});

test('S70 B131 an id cannot leave its place in a path', () => {
	for (const id of ['a/b?c#d é', '/../../x', '..%2f', '%00', '\ud800x', '?', '#', '\\..\\']) {
		const url = new URL(`https://a.example/histories/${pathSegment(id)}`);
		assert.match(url.pathname, /^\/histories\/[^/]+$/);
		assert.equal(url.search + url.hash, '');
	}
	for (const id of ['', '.', '..']) assert.throws(() => pathSegment(id), { code: 'invalid-id' });
});

test('3.1 headers of the page override ours, whatever their spelling', async () => {
	/** @type {[string, string][]} */
	const ours = [['Content-Type', 'application/json'], ['Accept', 'x']];
	assert.deepEqual(joinHeaders(ours, undefined), { 'Content-Type': 'application/json', Accept: 'x' });
	assert.deepEqual(joinHeaders(ours, { accept: 'y', 'X-A': '1' }), { 'Content-Type': 'application/json', accept: 'y', 'X-A': '1' });
	assert.deepEqual(joinHeaders(ours, () => new Headers({ accept: 'y' })), { 'Content-Type': 'application/json', accept: 'y' });
	assert.deepEqual(joinHeaders(ours, [['X-B', '2']]), { 'Content-Type': 'application/json', Accept: 'x', 'X-B': '2' });
	assert.deepEqual(joinHeaders(ours, { 'X-C': undefined, 'X-D': null }), { 'Content-Type': 'application/json', Accept: 'x' });
	assert.deepEqual(await joinHeaders(ours, async () => ({ 'X-E': '5' })), { 'Content-Type': 'application/json', Accept: 'x', 'X-E': '5' });
});

test('R11 Retry-After is read in both forms and clamped', () => {
	const now = Date.UTC(2026, 0, 1);
	for (const [value, want] of /** @type {[string | null, number][]} */ ([
		[null, -1], ['5', 5000], [' 5 ', 5000], ['0', 0], ['-3', -1], ['1000000000000', 300_000], ['soon', -1], ['', -1],
		['Thu, 01 Jan 2026 00:00:07 GMT', 7000], ['Wed, 31 Dec 2025 00:00:00 GMT', 0], ['Fri, 02 Jan 2026 00:00:00 GMT', 300_000],
	])) {
		assert.equal(retryAfter(value, now), want, String(value));
	}
});

test('B095 S12 numbers that JavaScript cannot hold are noticed', () => {
	for (const text of ['{"id":2512292042121000001}', '[9007199254740993]', '1e400', '0.1000000000000000055', '999999999999999999', '-9007199254740993', '1e-400']) {
		assert.ok(isInexact(text), text);
	}
	for (const text of ['1', '-0', '0.1', '1.10', '1.50e3', '1E+2', '9007199254740992', '1e21', '1.5e-9', '0.0', '{"a":"9007199254740993"}', '"\\"9007199254740993"', '[true,null,"\\\\"]']) {
		assert.ok(!isInexact(text), text);
	}
});

test('B104 JSON that is sent is well-formed Unicode', () => {
	assert.equal(stringify('a\ud83d'), '"a\\ufffd"');
	assert.equal(stringify({ '\udc00': '\ud83d\ude00' }), '{"\\ufffd":"😀"}');
	assert.equal(stringify('\\ud83d'), '"\\\\ud83d"', 'the text of an escape is text');
	assert.equal(stringify('\\\ud83d'), '"\\\\\\ufffd"');
	assert.equal(stringify(undefined), undefined);
});

test('S1 deepFreeze reaches every depth without recursion', () => {
	const deep = JSON.parse('['.repeat(50_000) + '{"__proto__":{"x":[1]}}' + ']'.repeat(50_000));
	deepFreeze(deep);
	let at = deep;
	while (Array.isArray(at)) {
		assert.ok(Object.isFrozen(at));
		at = at[0];
	}
	const [polluted] = Object.values(at);
	assert.ok(Object.isFrozen(polluted.x));
	assert.equal(/** @type {any} */ ({}).x, undefined);
});
