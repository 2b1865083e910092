// What a page shows before the core is there: text and no more, from a storage
// or from a server, and nothing when there is nothing to trust.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../../dist/node.js';
import { displayOf } from '../../dist/display.js';
import { storedMessages } from '../../dist/preview.js';
import { scriptedServer, text, toolCall, toolResult } from '../../dist/testing/index.js';
import { FakeLocks } from './support/locks.js';

const api = await load();
const { MemoryStorage, SvedaClient } = api;
Object.defineProperty(globalThis, 'navigator', { value: { locks: new FakeLocks() }, configurable: true, writable: true });

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'delete_post', target: 'backend', input: { post_id: 2 }, confirmation: 'required' };
const said = (/** @type {string} */ words) => ({ id: 'u', role: 'user', parts: [{ type: 'text', text: words }] });

/** A server with one stored chat. @param {unknown} messages @param {string[]} [asked] */
const server = (messages, asked = []) => ({
	endpoints: { stream: 'https://x.test/stream', histories: 'https://x.test/chats' },
	fetchFn: async (/** @type {string} */ url) => {
		asked.push(url);
		return Response.json({ history: { id: 'chat', messages } });
	},
});

/** A storage whose record of any chat has this preview. @param {unknown} preview */
const holds = (preview) => Object.assign(new MemoryStorage(), { read: async () => ({ snapshot: new Uint8Array(1), preview }) });

test('P6.3 the module needs no core: what it imports is small and names no WebAssembly', async () => {
	const modules = new Map();
	const waiting = [new URL('../../dist/preview.js', import.meta.url)];
	for (const url of waiting) {
		if (modules.has(url.href)) continue;
		const source = (await readFile(url, 'utf8')).replace(/\/\*[^]*?\*\//g, '');
		modules.set(url.href, source);
		for (const [, path] of source.matchAll(/(?:from|import) '(\.[^']+)'/g)) waiting.push(new URL(path, url));
	}
	const names = [...modules.keys()].map((href) => href.replace(/.*\/dist\//, ''));
	assert.ok(names.includes('display.js') && names.length < 12, names.join(' '));
	for (const name of ['runtime.js', 'core.js', 'wasm_exec.js', 'load.js', 'session.js', 'client.js']) assert.ok(!names.includes(name), name);
	for (const [href, source] of modules) assert.doesNotMatch(source, /WebAssembly|import\(/, href);
	assert.equal(api.storedMessages, storedMessages);
});

test('P6.3 a session stores a preview with its snapshot; a waiting call is a word, without id and arguments', async () => {
	const storage = new MemoryStorage();
	const script = scriptedServer();
	script.reply(text('I will.'), toolCall('c1', 'delete_post', { post_id: 2 }, 'required'));
	script.reply(toolResult('c1', 'delete_post', { success: true }), text('Done.'));
	const client = new SvedaClient({ endpoints: script.endpoints, fetchFn: script.fetch, persist: storage });
	const session = client.createSession('chat');
	await session.send('delete post 2');
	await sleep(300);
	const shown = await storedMessages('chat', { persist: storage });
	assert.deepEqual(shown?.map(({ role, parts }) => [role, parts]), [
		['user', [{ type: 'text', text: 'delete post 2' }]],
		['assistant', [{ type: 'text', text: 'I will.' }, { type: 'tool', toolName: 'delete_post', state: 'waiting' }]],
	]);
	assert.doesNotMatch(JSON.stringify(shown), /"c1"|toolCallId|post_id|confirm/);
	await session.resolveToolConfirmation('c1', 'approve');
	await sleep(300);
	const after = await storedMessages('chat', { persist: storage });
	assert.equal(after?.flatMap(({ parts }) => parts).find(({ type }) => type === 'tool')?.state, 'done');
	assert.ok(after?.some(({ parts }) => parts.some((part) => part.text === 'Done.')));
	await client.clearStorage();
	assert.equal(await storedMessages('chat', { persist: storage }), undefined, 'after clearStorage nothing is shown');
	client.destroySession('chat');
	client.keeper?.tabs.close();
});

test('P6.3 the preview is bounded: 50 messages, 4096 characters each, no half character', async () => {
	const long = `${'a'.repeat(4095)}😀 more`;
	const list = Array.from({ length: 120 }, (_, i) => said(i === 119 ? long : String(i)));
	const shown = await storedMessages('chat', server(list));
	assert.equal(shown?.length, 50);
	assert.deepEqual(shown?.[0].parts, [{ type: 'text', text: '70' }]);
	assert.equal(shown?.[0].cut, false);
	assert.deepEqual(shown?.[49].parts, [{ type: 'text', text: 'a'.repeat(4095) }]);
	assert.equal(shown?.[49].cut, true);
	assert.ok(Object.isFrozen(shown) && Object.isFrozen(shown[0].parts[0]));
});

test('P6.3 what is stored again while an answer streams is made once', () => {
	const old = { id: 'a', role: 'assistant', parts: [call] };
	const [first] = displayOf([old, said('x')]);
	assert.equal(displayOf([old, said('xy')])[0], first);
	const result = { id: 't', role: 'tool', parts: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'delete_post', output: { success: true } }] };
	assert.notEqual(displayOf([old, result])[0], first, 'its call has ended');
});

test('P6.3 what became of calls, from a server', async () => {
	const results = [
		[{ success: true }, 'done'], [{ success: false, error: 'no' }, 'failed'], [{ success: false, denied: true }, 'denied'],
	];
	for (const [output, state] of results) {
		const answer = { id: 't', role: 'tool', parts: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'delete_post', output }] };
		const shown = await storedMessages('chat', server([said('x'), { id: 'a', role: 'assistant', parts: [call] }, answer]));
		assert.equal(shown?.length, 2);
		assert.deepEqual(shown?.[1].parts, [{ type: 'tool', toolName: 'delete_post', state }]);
	}
	const automatic = { ...call, confirmation: undefined };
	const shown = await storedMessages('chat', server([{ id: 'a', role: 'assistant', parts: [automatic, { type: 'file', name: 'a.txt', url: 'javascript:1' }] }]));
	assert.deepEqual(shown?.[0].parts, [{ type: 'tool', toolName: 'delete_post', state: 'unfinished' }, { type: 'file', name: 'a.txt' }]);
});

const corrupt = {
	'no list': { length: 1 },
	'bytes': new Uint8Array([1, 2, 3]),
	'a message that is null': [null],
	'an unknown role': [{ id: 'a', role: 'root', parts: [] }],
	'an unknown part': [{ id: 'a', role: 'user', parts: [{ type: 'tool-call', toolName: 'x', toolCallId: 'c1' }] }],
	'a text that is none': [{ id: 'a', role: 'user', parts: [{ type: 'text', text: {} }] }],
	'an unknown state': [{ id: 'a', role: 'assistant', parts: [{ type: 'tool', toolName: 'x', state: 'approved' }] }],
	'too many messages': Array.from({ length: 51 }, () => ({ id: 'a', role: 'user', parts: [] })),
	'none': undefined,
};
for (const [name, preview] of Object.entries(corrupt)) {
	test(`P6.3 a stored preview that cannot be trusted is not shown: ${name}`, async () => {
		assert.equal(await storedMessages('chat', { persist: holds(preview) }), undefined);
	});
}

test('P6.3 fields that nobody knows are not passed on, and bounds hold for what was stored too', async () => {
	const shown = await storedMessages('chat', {
		persist: holds([{ id: 'a', role: 'user', cut: false, html: '<b>', parts: [{ type: 'text', text: 'x'.repeat(9000), onclick: '1' }] }]),
	});
	assert.deepEqual(shown, [{ id: 'a', role: 'user', cut: true, parts: [{ type: 'text', text: 'x'.repeat(4096) }] }]);
});

test('P6.3 a storage that is missing or fails gives undefined, and no server is asked', async () => {
	/** @type {string[]} */
	const asked = [];
	const options = server([said('x')], asked);
	assert.equal(await storedMessages('chat', { ...options, persist: true }), undefined); // Node has no IndexedDB
	const fails = Object.assign(new MemoryStorage(), { read: () => Promise.reject(new Error('quota')) });
	assert.equal(await storedMessages('chat', { ...options, persist: fails }), undefined);
	const throws = Object.assign(new MemoryStorage(), { read() { throw new Error('gone'); } });
	assert.equal(await storedMessages('chat', { ...options, persist: throws }), undefined);
	const hangs = Object.assign(new MemoryStorage(), { read: () => new Promise(() => {}) });
	assert.equal(await storedMessages('chat', { ...options, persist: hangs }), undefined);
	assert.equal(await storedMessages('chat', { ...options, persist: new MemoryStorage() }), undefined);
	assert.deepEqual(asked, []);
});

test('P6.3 a broken preview does not disturb the session, which reads the snapshot', async () => {
	const storage = new MemoryStorage();
	const script = scriptedServer();
	script.reply(text('Yes.'));
	const client = new SvedaClient({ endpoints: script.endpoints, fetchFn: script.fetch, persist: storage });
	const session = client.createSession('chat');
	await session.send('hello');
	await sleep(300);
	const stored = await storage.read('chat');
	assert.ok(stored !== undefined);
	client.destroySession('chat');
	await storage.nextFence('chat');
	await storage.write('chat', { ...stored, fence: 99, version: 99, page: 'other', preview: 'broken' });
	const next = new SvedaClient({ endpoints: script.endpoints, fetchFn: script.fetch, persist: storage });
	const again = next.createSession('chat');
	await again.ready;
	assert.equal(again.messages.length, 2, 'the session reads the snapshot, not the preview');
	assert.equal(await storedMessages('chat', { persist: storage }), undefined);
	next.destroySession('chat');
	for (const one of [client, next]) one.keeper?.tabs.close();
});

test('P6.3 errors of a server have codes; an unknown chat is none', async () => {
	const answers = async (/** @type {() => any} */ fetchFn) => storedMessages('chat', { ...server([]), fetchFn }).catch(({ code }) => code);
	assert.equal(await answers(async () => new Response(null, { status: 404 })), undefined);
	assert.equal(await answers(async () => new Response(null, { status: 401 })), 'http-status');
	assert.equal(await answers(() => Promise.reject(new TypeError('failed'))), 'network');
	assert.equal(await answers(async () => new Response('<html>')), 'invalid-answer');
	assert.equal(await answers(async () => Response.json({ history: null })), 'invalid-answer');
	assert.equal(await answers(async () => Response.json({ history: { messages: [{ id: 'a', role: 'root' }] } })), 'invalid-answer');
	const code = (/** @type {any} */ options, id = 'chat') => storedMessages(id, options).catch((error) => error.code);
	assert.equal(await code({ presist: true }), 'unknown-option');
	assert.equal(await code({ persist: 1 }), 'invalid-option');
	assert.equal(await code({ endpoints: { histories: 'http://far.test/x' } }), 'invalid-endpoint');
	assert.equal(await code(server([]), '..'), 'invalid-id');
	assert.equal(await code({ endpoints: { stream: 'https://x.test/s' } }), undefined);
});
