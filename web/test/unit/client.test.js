import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvedaClient, SvedaContextRegistry, SvedaToolRegistry, iterateSvedaStream } from '../../dist/auto.node.js';
import { scriptedServer, text } from '../../dist/testing/index.js';

test('options: what is not known or of the wrong type is refused, by name', () => {
	for (const [options, code, words] of /** @type {[any, string, RegExp][]} */ ([
		[{ endpoint: {} }, 'unknown-option', /"endpoint"/],
		[{ fetchFn: 'fetch' }, 'invalid-option', /"fetchFn": expected function/],
		[{ maxToolRounds: 1.5 }, 'invalid-option', /"maxToolRounds"/],
		[{ dialect: 'klingon' }, 'invalid-option', /"klingon"/],
		[{ endpoints: { stream: 'javascript:x' } }, 'invalid-endpoint', /"stream"/],
		[{ __proto__: null, ['__proto__x']: 1 }, 'unknown-option', /__proto__x/],
	])) {
		assert.throws(() => new SvedaClient(options), (/** @type {any} */ e) => e.code === code && words.test(e.message), JSON.stringify(options));
	}
	const client = new SvedaClient({ credentials: undefined, tools: undefined });
	assert.equal(client.credentials, 'omit');
	assert.equal(client.protocolMode, 'sveda');
	assert.ok(client.toolRegistry instanceof SvedaToolRegistry);
	assert.ok(client.contextRegistry instanceof SvedaContextRegistry);
	assert.match(client.createSession().chatId, /^[0-9a-f-]{36}$/);
});

test('3.26 the registry: list, has, get, execute, unregister, clear, capabilities', async () => {
	const tools = new SvedaToolRegistry();
	const off = tools.register({ name: 'a', description: 'A', parameters: { type: 'object', properties: { x: { type: 'number' } } }, handler: (input) => input.x * 2 });
	tools.register({ name: 'b', confirmation: 'required', handler: () => 'b' });
	tools.register({ name: 'c', confirmation: 'auto', handler: () => 'c' });
	assert.deepEqual(tools.list(), [
		{ name: 'a', description: 'A', parameters: { type: 'object', properties: { x: { type: 'number' } } } },
		{ name: 'b', description: '', parameters: { type: 'object', properties: {} }, confirmation: 'required' },
		{ name: 'c', description: '', parameters: { type: 'object', properties: {} } },
	]);
	assert.equal(await tools.execute('a', { x: 21 }), 42);
	await assert.rejects(tools.execute('nobody', {}), /^SvedaError: \[sveda\] Unknown frontend tool: nobody$/);
	tools.setCapabilities({ restricted: true, client: { allow: ['b*'] } });
	assert.deepEqual(tools.list().map((t) => t.name), ['b']);
	assert.equal(tools.has('a'), true, 'has and execute are not filtered');
	tools.setCapabilities(null);
	tools.register({ name: 'a', handler: () => 'new' });
	off();
	assert.equal(await tools.execute('a', {}), 'new', 'B067: the registration of another stays');
	assert.equal(tools.get('b')?.confirmation, 'required');
	assert.equal(tools.unregister('b'), true);
	assert.equal(tools.unregister('b'), false);
	assert.equal(tools.has('constructor'), false, 'B099');
	tools.clear();
	assert.deepEqual(tools.list(), []);
});

test('a tool that is not right is refused at registration', () => {
	const tools = new SvedaToolRegistry();
	const handler = () => {};
	for (const [tool, code] of /** @type {[any, string][]} */ ([
		[{ name: 'two words', handler }, 'invalid-tool-name'], [{ name: '', handler }, 'invalid-tool-name'],
		[{ name: 'a'.repeat(129), handler }, 'invalid-tool-name'], [{ name: 'a\u202e', handler }, 'invalid-tool-name'],
		[{ name: 'a' }, 'missing-handler'], [{ name: 'a', handler: 'x' }, 'missing-handler'],
		[{ name: 'a', handler, parameters: [] }, 'invalid-parameters'], [{ name: 'a', handler, parameters: 'x' }, 'invalid-parameters'],
		[{ name: 'a', handler, confirmation: 'yes' }, 'invalid-confirmation'], [{ name: 'a', handler, confirmation: true }, 'invalid-confirmation'],
		[{ name: 'a', handler, confirmation: 'Required' }, 'invalid-confirmation'], [null, 'invalid-tool'],
	])) {
		assert.throws(() => tools.register(tool), { code }, JSON.stringify(tool));
	}
	assert.deepEqual(tools.list(), []);
});

test('3.25 the context: functions are called for each request, a later entry overrides, sendOptions overlay', async () => {
	const context = new SvedaContextRegistry();
	let n = 0;
	context.register({ description: 'count', value: () => ++n });
	context.register('page', 'old');
	const off = context.register('page', 'new');
	context.register('nothing', undefined);
	context.register('__proto__', { x: 1 });
	assert.deepEqual(JSON.parse(JSON.stringify(context.snapshot())), JSON.parse('{"count":1,"page":"new","__proto__":{"x":1}}'));
	off();
	assert.equal(context.snapshot().page, 'old');
	assert.equal(n, 2);
	assert.equal(/** @type {any} */ ({}).x, undefined);
	const server = scriptedServer().reply(text('a'));
	const session = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, context }).createSession();
	await session.send('x', { context: { page: 'mine' } });
	assert.equal(server.requests[0].body.context.page, 'mine');
	assert.equal(server.requests[0].body.context.count, 3);
	context.clear();
	assert.deepEqual(context.snapshot(), {});
	assert.throws(() => context.register(/** @type {any} */ ({ value: 1 })), { code: 'invalid-context' });
});

test('5 stored chats: list, read, rename, delete, and the texts of their errors', async () => {
	const server = scriptedServer({ histories: true });
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, headers: { 'x-sveda-embed-token': 't' } });
	server.respond(200, { histories: [{ id: 'a', title: 'A' }] }).respond(200, { history: { id: 'a/b', messages: [] } });
	server.respond(200, { success: true }).respond(200, { success: true });
	assert.deepEqual(await client.listHistories(), [{ id: 'a', title: 'A', chatId: 'a' }]);
	assert.deepEqual(await client.getHistory('a/b'), { id: 'a/b', messages: [], chatId: 'a/b' });
	await client.renameHistory('a', 'New');
	await client.deleteHistory('a');
	const base = server.endpoints.histories;
	assert.deepEqual(server.requests.map((r) => [r.method, r.url, r.text]), [
		['GET', base, ''], ['GET', `${base}/a%2Fb`, ''], ['PATCH', `${base}/a`, '{"title":"New"}'], ['DELETE', `${base}/a`, ''],
	]);
	for (const { headers } of server.requests) assert.deepEqual([headers.Accept, headers['x-sveda-embed-token']], ['application/json', 't']);
	for (let i = 0; i < 4; i++) server.respond(404);
	for (const [call, message] of /** @type {[() => Promise<any>, string][]} */ ([
		[() => client.listHistories(), '[sveda] Failed to load chat histories: 404'],
		[() => client.getHistory('q'), '[sveda] Failed to load chat history q: 404'],
		[() => client.renameHistory('q', 't'), '[sveda] Failed to rename chat q: 404'],
		[() => client.deleteHistory('q'), '[sveda] Failed to delete chat q: 404'],
	])) {
		await assert.rejects(call(), { message, code: 'http-status', status: 404 });
	}
	server.fail();
	await assert.rejects(client.listHistories(), { code: 'network' });
	const own = new SvedaClient({ endpoints: { stream: '/s', history: (id) => `/h/${id}` }, fetchFn: server.fetch });
	server.respond(200, { history: { chatId: 'z', messages: [] } });
	await own.getHistory('z');
	assert.equal(server.requests.at(-1)?.url, '/h/z');
	await assert.rejects(own.listHistories(), { code: 'unsupported' });
});

test('iterateSvedaStream gives events as they came, whatever the source', async () => {
	const encoder = new TextEncoder();
	const wire = 'data: {"type":"text.delta","delta":"北"}\r\n\r\n: ping\n\ndata: nonsense\n\ndata: {"type":"brand.new","x":1}\n\ndata: [DONE]\n\ndata: {"type":"late"}\n\n';
	const want = [{ type: 'text.delta', delta: '北' }, { type: 'brand.new', x: 1 }];
	const bytes = encoder.encode(wire);
	async function* single() {
		for (const byte of bytes) yield Uint8Array.of(byte);
	}
	for (const source of [new Response(wire), new Response(wire).body, single()]) {
		const got = [];
		for await (const event of iterateSvedaStream(/** @type {any} */ (source))) got.push(event);
		assert.deepEqual(got, want);
	}
	let cancelled = false;
	const endless = new ReadableStream({ pull(c) { c.enqueue(encoder.encode('data: {"type":"a"}\n\n')); }, cancel() { cancelled = true; } });
	for await (const event of iterateSvedaStream(endless)) {
		assert.equal(event.type, 'a');
		break;
	}
	assert.equal(cancelled, true);
	const cutEvents = [];
	for await (const event of iterateSvedaStream(new Response('data: {"type":"a"}'))) cutEvents.push(event);
	assert.deepEqual(cutEvents, [{ type: 'a' }], 'a last frame without a blank line counts');
	await assert.rejects(async () => { for await (const _ of iterateSvedaStream(new Response(null))); }, { message: '[sveda] Stream response has no body' });
});

test('asgard: where it goes, with which headers, and decisions with its words', async () => {
	const server = scriptedServer();
	const asked = { requestId: 'r1', customChannelId: 'ch', event: { type: 'x' } };
	assert.throws(() => new SvedaClient({ dialect: 'asgard' }), { code: 'invalid-option' });
	assert.throws(() => new SvedaClient({ botProviderEndpoint: 'https://a.example/x' }), { code: 'invalid-option' });
	assert.throws(() => new SvedaClient({ dialect: 'asgard', botProviderEndpoint: 'http://a.example/x' }), { code: 'invalid-endpoint' });
	const client = new SvedaClient({
		dialect: 'asgard', botProviderEndpoint: 'https://a.example/ns/n/bot-provider/b//', apiKey: 'key', userIdentityHint: 'me',
		customHeaders: { 'X-Other': '1', 'x-asgard-user-identity-hint': 'somebody else' }, fetchFn: server.fetch,
	});
	server.respond(500, asked);
	const session = client.createSession('ch/1');
	await assert.rejects(session.sendMessage({ text: 'hello' }));
	const [request] = server.requests;
	assert.equal(request.url, 'https://a.example/ns/n/bot-provider/b/message/sse');
	assert.equal(request.headers['X-API-KEY'], 'key');
	assert.equal(request.headers['X-ASGARD-USER-IDENTITY-HINT'], 'me');
	assert.equal(request.headers['X-Other'], '1');
	assert.equal('x-asgard-user-identity-hint' in request.headers, false);
	assert.equal(request.body.customChannelId, 'ch/1');
	assert.equal(request.body.text, 'hello');
	assert.deepEqual(await session.replyToolCallConsents([{ toolCallId: 'c', result: 'ALLOW_ONCE' }]), [{ toolCallId: 'c', outcome: 'not-pending' }]);
	await assert.rejects(session.replyToolCallConsents([{ toolCallId: 'c', result: /** @type {any} */ ('ALLOW') }]), { code: 'invalid-decision' });
	for (const list of [undefined, null, 'c1', [null], [undefined], ['c1']]) {
		await assert.rejects(session.resolveToolConfirmations(/** @type {any} */ (list)), { code: 'invalid-decision' });
		await assert.rejects(session.replyToolCallConsents(/** @type {any} */ (list)), { code: 'invalid-decision' });
	}
	await assert.rejects(session.continueAfterMaxSteps(), { code: 'unsupported' });
});

test('vercel mode: its headers, and its parts read as events', async () => {
	const server = scriptedServer();
	server.reply({ type: 'text-delta', textDelta: 'hi' }, 'data: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n', { type: 'message.end' });
	const session = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, protocolMode: 'vercel' }).createSession();
	await session.send('x');
	assert.equal(server.requests[0].headers['X-Sveda-Protocol'], 'vercel');
	assert.equal(server.requests[0].headers.Accept, 'text/event-stream');
	assert.equal(session.messages[1].parts[0].text, 'hi');
});
