// The session as a page uses it, by the statements of contract section 3 and
// the faults of section 8.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelAwaitingConsentError, ChannelBusyError, SvedaChatSession, SvedaClient, SvedaError, messageText } from '../../dist/auto.node.js';
import {
	cut, eof, messageEnd, messageStart, pause, reasoning, scriptedServer, text, toolCall, toolResult,
} from '../../dist/testing/index.js';

/**
 * @param {object} [options]
 */
function setup(options = {}) {
	const server = scriptedServer();
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, ...options });
	return { server, client, session: client.createSession('chat-1') };
}

/** Records events by name. @param {SvedaChatSession} session @param {...string} names */
function record(session, ...names) {
	const log = /** @type {any[][]} */ ([]);
	for (const name of names) session.on(/** @type {any} */ (name), (payload) => log.push([name, payload]));
	return log;
}

/** @param {any[]} messages */
const shape = (messages) => messages.map((m) => [m.role, messageText(m)]);

test('3.1 3.3 the request: method, headers, body and the order of its keys', async () => {
	const { server, session, client } = setup({ headers: () => ({ 'x-sveda-embed-token': 't' }) });
	server.reply(text('hi'));
	client.contextRegistry.register('page', () => 'home');
	await session.send('hello', { model: 'm', provider: 'p', options: { thinking: false }, context: { extra: 1 } });
	const [request] = server.requests;
	assert.equal(request.method, 'POST');
	assert.equal(request.url, server.endpoints.stream);
	assert.deepEqual(request.headers, {
		'Content-Type': 'application/json', Accept: 'application/vnd.sveda.stream+json', 'x-sveda-embed-token': 't',
	});
	assert.deepEqual(Object.keys(request.body), ['messages', 'prompt', 'chatId', 'context', 'clientTools', 'model', 'provider', 'options']);
	assert.deepEqual(request.body.context, { page: 'home', extra: 1 });
	assert.deepEqual(request.body.clientTools, []);
	assert.equal(request.init.redirect, 'error');
	assert.equal(request.init.credentials, 'omit');
	assert.equal(typeof request.init.body, 'string');
});

test('3.4 3.5 3.6 messages on the wire: content joined, reasoning in front, no placeholder, no createdAt', async () => {
	const { server, session } = setup();
	server.reply(messageStart('m1'), text('a'), text('b')).reply(text('c'));
	session.setMessages([{ id: 'old', role: 'user', parts: [{ type: 'text', text: 'x' }], createdAt: '2026-01-01T00:00:00Z' }]);
	await session.send('one');
	await session.send('two');
	const [first, second] = server.requests.map((r) => r.body.messages);
	assert.deepEqual(first.map((/** @type {any} */ m) => m.role), ['user', 'user']);
	assert.equal('createdAt' in first[0], false);
	assert.deepEqual(second[2], {
		id: 'm1', role: 'assistant', content: 'ab', parts: [{ type: 'reasoning', text: '.' }, { type: 'text', text: 'ab' }],
	});
	assert.deepEqual(session.messages[2].parts, [{ type: 'text', text: 'ab' }], 'local messages are unchanged (W25)');
	assert.equal(session.messages[0].createdAt, '2026-01-01T00:00:00Z');
});

test('3.7 status order; message.end alone does not make it idle', async () => {
	const { server, session } = setup();
	const hold = pause();
	server.reply(text('a'), messageEnd(), hold, { type: 'chat.title', title: 'T' });
	const log = record(session, 'status', 'finish', 'title');
	const sent = session.send('x');
	while (!log.some(([name]) => name === 'finish')) await sleep(1);
	assert.equal(session.status, 'streaming');
	assert.equal(session.isStreaming, true);
	hold.release();
	await sent;
	assert.deepEqual(log.map(([name, value]) => (name === 'finish' ? name : value)), ['submitted', 'streaming', 'finish', 'T', 'idle']);
});

test('3.8 message.start gives the chat id and the message id; the client keeps its key', async () => {
	const { server, session, client } = setup();
	server.reply(messageStart('msg_1', 'chat_server'), text('a'));
	await session.send('x');
	assert.equal(session.chatId, 'chat_server');
	assert.equal(session.messages[1].id, 'msg_1');
	assert.equal(client.session('chat-1'), session);
});

test('3.9 deltas extend the last part of their type, else open one', async () => {
	const { server, session } = setup();
	server.reply(reasoning('r1'), reasoning('r2'), text('t1'), text('t2'), reasoning('r3'), text('t3'));
	await session.send('x');
	assert.deepEqual(session.messages[1].parts, [
		{ type: 'reasoning', text: 'r1r2' }, { type: 'text', text: 't1t2' }, { type: 'reasoning', text: 'r3' }, { type: 'text', text: 't3' },
	]);
});

test('every wire event is told first, then what it changes', async () => {
	const { server, session } = setup();
	server.reply(text('a'), text('b'));
	const order = /** @type {string[]} */ ([]);
	const shown = () => session.messages.at(-1)?.parts.map((/** @type {any} */ p) => p.text).join('') ?? '';
	session.on('event', (e) => order.push(`event ${e.delta ?? e.type} (${shown()})`));
	session.on('messages', () => order.push(`messages (${shown()})`));
	await session.send('x');
	assert.deepEqual(order.slice(2), ['event a ()', 'messages (a)', 'event b (a)', 'messages (ab)', 'event message.end (ab)']);
});

test('3.12 3.13 2.22 a tool of the page: it starts during the stream, its output is submitted in content too', async () => {
	const { server, session, client } = setup();
	const seen = /** @type {any[]} */ ([]);
	client.toolRegistry.register({ name: 'look', handler: (input, context) => { seen.push([input, context.chatId, context.toolCallId]); return { n: 1 }; } });
	const hold = pause();
	server.reply(toolCall('c1', 'look', { a: 1 }, undefined, 'frontend'), hold, messageEnd('tool_calls')).reply(text('done'));
	const sent = session.send('x');
	while (seen.length === 0) await sleep(1);
	assert.equal(server.requests.length, 1, 'the handler ran while the stream was open');
	hold.release();
	await sent;
	assert.deepEqual(seen, [[{ a: 1 }, 'chat-1', 'c1']]);
	const { body } = server.requests[1];
	assert.equal(body.prompt, 'tool_results');
	const last = body.messages.at(-1);
	assert.deepEqual([last.role, last.content, last.parts], [
		'tool', '{"n":1}', [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { n: 1 } }],
	]);
	assert.equal(messageText(/** @type {any} */ (session.messages.at(-1))), 'done');
});

test('S1 B095 a handler gets a frozen input, the raw bytes, and a warning about inexact numbers', async () => {
	const { server, session, client } = setup();
	let got = /** @type {any} */ (undefined);
	client.toolRegistry.register({ name: 'act', confirmation: 'required', handler: (input, context) => { got = { input, ...context }; } });
	server.reply('data: {"type":"tool.call","toolCallId":"c1","toolName":"act","target":"frontend","input":{"id": 2512292042121000001, "__proto__": {"x":1}}}\n\n', messageEnd('tool_calls')).reply(text('ok'));
	await session.send('x');
	assert.equal(session.confirmations[0].arguments.raw, '{"id": 2512292042121000001, "__proto__": {"x":1}}');
	await session.resolveToolConfirmation('c1', 'approve');
	assert.equal(got.rawInput, '{"id": 2512292042121000001, "__proto__": {"x":1}}');
	assert.equal(got.inexact, true);
	assert.ok(Object.isFrozen(got.input) && Object.hasOwn(got.input, '__proto__'));
	assert.equal(/** @type {any} */ ({}).x, undefined);
	assert.match(server.requests[1].text, /"input":\{"id": 2512292042121000001/, 'the history keeps the digits');
});

test('B065 B074 whatever a handler does, one result is posted', async () => {
	const cyclic = /** @type {any} */ ({});
	cyclic.self = cyclic;
	for (const [returns, want] of /** @type {[() => unknown, any][]} */ ([
		[() => { throw new Error('boom'); }, { success: false, error: 'boom' }],
		[() => Promise.reject('text'), { success: false, error: 'text' }],
		[() => Promise.reject(undefined), { success: false, error: 'undefined' }],
		[() => undefined, null],
		[() => null, null],
		[() => ({ n: 10n }), { success: false }],
		[() => cyclic, { success: false }],
		[() => () => {}, { success: false }],
		[() => Symbol('s'), { success: false }],
		[() => 'a\ud83d', 'a\ufffd'],
	])) {
		const { server, session } = setup({ tools: [{ name: 't', handler: returns }] });
		server.reply(toolCall('c1', 't', {}, undefined, 'frontend'), messageEnd('tool_calls')).reply(text('ok'));
		await session.send('x');
		const { output } = server.requests[1].body.messages.at(-1).parts[0];
		if (want !== null && typeof want === 'object' && !('error' in want)) assert.equal(output.success, false);
		else assert.deepEqual(output, want);
		assert.equal(server.requests.length, 2);
	}
});

test('W1 W2 confirm twice, or confirm and deny, while the handler runs: it runs once, one stream follows', async () => {
	let runs = 0;
	/** @type {() => void} */
	let finish = () => {};
	const { server, session } = setup({
		tools: [{ name: 'act', confirmation: 'required', handler: () => { runs++; return new Promise((resolve) => (finish = () => resolve('done'))); } }],
	});
	server.reply(toolCall('c1', 'act', {}, 'required', 'frontend'), messageEnd('tool_calls')).reply(text('ok'));
	await session.send('x');
	const first = session.resolveToolConfirmation('c1', 'approve');
	assert.deepEqual(await session.resolveToolConfirmation('c1', 'approve'), { outcome: 'already-decided', decision: 'approve' });
	assert.deepEqual(await session.resolveToolConfirmation('c1', 'deny'), { outcome: 'already-decided', decision: 'approve' });
	await assert.rejects(session.send('meanwhile'), ChannelAwaitingConsentError); // W3, B048
	assert.equal(runs, 1);
	finish();
	assert.deepEqual(await first, { outcome: 'sent', decision: 'approve' });
	assert.equal(server.requests.length, 2);
	assert.equal(server.requests[1].body.toolDecisions, undefined, '3.14');
	assert.equal(server.requests[1].body.prompt, '');
});

test('W3 stop signals the handler of an approved call', async () => {
	let aborted = false;
	const { server, session } = setup({
		tools: [{ name: 'act', confirmation: 'required', handler: (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))) }],
	});
	server.reply(toolCall('c1', 'act', {}, 'required', 'frontend'), messageEnd('tool_calls'));
	await session.send('x');
	const decided = session.resolveToolConfirmation('c1', 'approve').catch(() => {});
	await sleep(0);
	await session.stop();
	await decided;
	assert.equal(aborted, true);
	assert.equal(server.requests.length, 1, 'nothing follows');
	assert.equal(session.confirmations[0].state, 'outcome-unknown');
});

test('W10 a decision during the stream waits for its end and is then sent', async () => {
	const { server, session } = setup();
	const hold = pause();
	server.reply(toolCall('c1', 'rm', {}, 'required'), messageEnd('tool_calls'), hold, { type: 'chat.title', title: 'T' });
	server.reply(toolResult('c1', 'rm', { ok: true }), text('gone'));
	const sent = session.send('x');
	while (!session.confirmationPending) await sleep(1);
	const decided = session.resolveToolConfirmation('c1', 'approve');
	await sleep(5);
	assert.equal(server.requests.length, 1);
	hold.release();
	await sent;
	assert.deepEqual(await decided, { outcome: 'sent', decision: 'approve' });
	assert.equal(server.requests.length, 2);
});

test('W22 several decisions go in one request', async () => {
	const { server, session } = setup();
	server.reply(toolCall('c1', 'rm', { a: 1 }, 'required'), toolCall('c2', 'rm', { a: 2 }, 'required'), messageEnd('tool_calls'));
	server.reply(toolResult('c1', 'rm', {}), toolResult('c2', 'rm', { denied: true }), text('ok'));
	await session.send('x');
	const outcomes = await session.resolveToolConfirmations([
		{ toolCallId: 'c1', decision: 'approve' }, { toolCallId: 'c2', decision: 'deny', reason: 'wrong row' },
	]);
	assert.deepEqual(outcomes.map((o) => [o.toolCallId, o.outcome, o.decision]), [['c1', 'sent', 'approve'], ['c2', 'sent', 'deny']]);
	assert.deepEqual(server.requests[1].body.toolDecisions, [
		{ toolCallId: 'c1', decision: 'approve' }, { toolCallId: 'c2', decision: 'deny', reason: 'wrong row' },
	]);
	assert.equal(server.requests.length, 2);
	assert.equal(session.confirmationPending, false);
});

test('B006 the next decision names the new call only', async () => {
	const { server, session } = setup();
	server.reply(toolCall('c1', 'rm', {}, 'required'), messageEnd('tool_calls')).reply(toolResult('c1', 'rm', {}), toolCall('c3', 'rm', {}, 'required'), messageEnd('tool_calls'));
	server.reply(toolResult('c3', 'rm', {}), text('ok'));
	await session.send('x');
	await session.resolveToolConfirmation('c1', 'approve');
	await session.resolveToolConfirmation('c3', 'approve');
	assert.deepEqual(server.requests[2].body.toolDecisions, [{ toolCallId: 'c3', decision: 'approve' }]);
});

test('W13 R17 a send while a call waits is refused and leaves no trace', async () => {
	const { server, session } = setup();
	server.reply(toolCall('c1', 'rm', {}, 'required'), messageEnd('tool_calls'));
	await session.send('x');
	const before = session.messages;
	const log = record(session, 'messages', 'status', 'error', 'event');
	for (const turn of [() => session.send('y'), () => session.sendMessage({ text: 'y' }), () => session.continueAfterMaxSteps()]) {
		await assert.rejects(turn(), (/** @type {any} */ error) => error instanceof ChannelAwaitingConsentError && error.code === 'awaiting-consent');
	}
	assert.equal(session.messages, before);
	assert.deepEqual(log, []);
	assert.equal(server.requests.length, 1);
});

test('W14 a send while a turn runs is refused', async () => {
	const { server, session } = setup();
	const hold = pause();
	server.reply(text('a'), hold);
	const sent = session.send('x');
	await assert.rejects(session.send('y'), ChannelBusyError);
	hold.release();
	await sent;
	assert.deepEqual(shape(session.messages), [['user', 'x'], ['assistant', 'a']]);
});

test('W15 B113 an error event fails the turn; the text that arrived is kept', async () => {
	const { server, session } = setup();
	server.reply(text('half'), { type: 'error', code: 'overloaded', message: 'Too busy' }, messageEnd('error'));
	const log = record(session, 'error');
	await assert.rejects(session.send('x'), (/** @type {any} */ e) => e instanceof SvedaError && e.code === 'overloaded' && e.message === 'Too busy');
	assert.equal(session.status, 'error');
	assert.equal(log.length, 1, 'W18');
	assert.equal(log[0][1].code, 'overloaded');
	assert.deepEqual(shape(session.messages), [['user', 'x'], ['assistant', 'half']]);
	server.reply(text('ok'));
	await session.send('y');
	assert.equal(session.error, undefined);
});

test('W16 B110 a cut stream and an HTML page are errors with codes', async () => {
	for (const [script, code] of /** @type {[(s: ReturnType<typeof scriptedServer>) => void, string][]} */ ([
		[(s) => s.reply(text('half'), eof), 'stream-cut'],
		[(s) => s.reply(text('half'), 'data: {"type":"tool.call","toolCallId":"c1","input":{"a', eof), 'stream-cut'],
		[(s) => s.reply(text('half'), cut), 'stream-cut'],
		[(s) => s.respond(200, '<!doctype html><title>login</title>', { 'content-type': 'text/html' }), 'not-a-stream'],
		[(s) => s.respond(200, undefined, { 'content-type': 'text/event-stream' }), 'empty-stream'],
		[(s) => s.fail(new TypeError('Load failed')), 'network'],
		[(s) => s.fail(new TypeError('')), 'network'],
		[(s) => s.respond(500, 'oops'), 'http-status'],
		[(s) => s.respond(401), 'unauthorized'],
	])) {
		const { server, session } = setup();
		script(server);
		await assert.rejects(session.send('x'), (/** @type {any} */ e) => e instanceof SvedaError && e.code === code, code);
		assert.equal(session.status, 'error');
		assert.equal(session.isStreaming, false);
		assert.deepEqual(session.confirmations, []);
		server.reply(text('ok'));
		await session.send('again');
		assert.equal(session.status, 'idle');
	}
});

test('3.19 W17 B127 a refused request gives status, Retry-After and the words of the server', async () => {
	const { server, session } = setup();
	server.respond(429, { message: 'Too Many Attempts.' }, { 'retry-after': '7' });
	await assert.rejects(session.send('x'), (/** @type {any} */ e) => {
		assert.deepEqual([e.code, e.status, e.retryAfter, e.serverMessage], ['rate-limited', 429, 7000, 'Too Many Attempts.']);
		assert.equal(e.message, '[sveda] Stream request failed: 429');
		return true;
	});
});

test('design rule 6 a decision that was not accepted is live again, with the error', async () => {
	const { server, session } = setup({ decisionAttempts: 1 });
	server.reply(toolCall('c1', 'rm', {}, 'required'), messageEnd('tool_calls')).fail().reply(toolResult('c1', 'rm', {}), text('ok'));
	await session.send('x');
	await assert.rejects(session.resolveToolConfirmation('c1', 'approve'), { code: 'network' });
	const [confirmation] = session.confirmations;
	assert.equal(confirmation.state, 'pending');
	assert.equal(confirmation.error?.code, 'network');
	assert.ok(confirmation.error instanceof SvedaError);
	assert.deepEqual(await session.resolveToolConfirmation('c1', 'approve'), { outcome: 'sent', decision: 'approve' });
});

test('W19 a listener that throws disturbs nobody; a context that throws stops the turn before it is drawn', async (t) => {
	const { server, session, client } = setup();
	server.reply(text('ok'));
	const shown = /** @type {string[]} */ ([]);
	t.mock.method(console, 'error', () => {});
	session.on('messages', () => { throw new Error('listener'); });
	session.on('messages', () => shown.push('next'));
	session.subscribe(() => { throw new Error('subscriber'); });
	await session.send('x');
	assert.ok(shown.length > 0);
	assert.equal(session.status, 'idle');
	const loop = /** @type {any} */ ({});
	loop.self = loop;
	for (const thrown of [new Error('a secret'), 'a bare value', undefined]) {
		const off = client.contextRegistry.register('bad', () => { throw thrown; });
		await assert.rejects(session.send('y'), (error) => error instanceof SvedaError && error.code === 'context-failed' && error.cause === thrown && /"bad"/.test(error.message) && !/secret/.test(error.message));
		assert.throws(() => client.contextRegistry.snapshot(), { code: 'context-failed' });
		off();
	}
	const off = client.contextRegistry.register('no JSON', loop);
	await assert.rejects(session.send('y'), { code: 'context-failed' });
	off();
	assert.equal(session.messages.length, 2);
	assert.equal(server.requests.length, 1);
	server.reply(text('ok'));
	await session.send('y');
});

test('W20 rounds of tool outputs are bounded', async () => {
	const { server, session } = setup({ maxToolRounds: 3, tools: [{ name: 't', handler: () => 1 }] });
	for (let i = 0; i < 10; i++) server.reply(toolCall(`c${i}`, 't', {}, undefined, 'frontend'), messageEnd('tool_calls'));
	await assert.rejects(session.send('x'), { code: 'tool-round-limit' });
	assert.equal(server.requests.length, 4);
});

test('W11 kept tool outputs can be read and sent', async () => {
	const { server, session } = setup({ autoSubmitFrontendToolResults: false, tools: [{ name: 't', handler: () => 1 }] });
	server.reply(toolCall('c1', 't', {}, undefined, 'frontend'), messageEnd('tool_calls')).reply(text('ok'));
	await session.send('x');
	assert.deepEqual(session.toolOutputs.map((o) => [o.toolCallId, o.output]), [['c1', 1]]);
	assert.equal(server.requests.length, 1);
	await session.submitToolOutputs();
	assert.equal(server.requests[1].body.prompt, 'tool_results');
	assert.deepEqual(session.toolOutputs, []);
});

test('3.20 stop: idle, and send resolves or rejects as aborted, never hangs', async () => {
	const { server, session } = setup();
	server.hang();
	const sent = session.send('x').then(() => 'resolved', (error) => error.code);
	await sleep(1);
	await session.stop();
	assert.equal(await sent, 'resolved');
	assert.equal(session.status, 'idle');
	assert.equal(server.requests[0].aborted, true);
});

test('getSnapshot changes identity only when subscribers are told; text is told once per frame', async () => {
	const { server, session } = setup();
	const steps = Array.from({ length: 50 }, (_, i) => text(`${i} `));
	server.reply(...steps);
	let told = 0;
	const before = session.getSnapshot();
	session.subscribe(() => told++);
	assert.equal(session.getSnapshot(), before);
	const snapshots = new Set();
	session.on('messages', () => snapshots.add(session.getSnapshot()));
	await session.send('x');
	assert.ok(told < 12, `50 deltas were told ${told} times`);
	assert.ok(snapshots.size <= told + 1);
	const after = session.getSnapshot();
	assert.notEqual(after, before);
	assert.equal(after.status, 'idle');
	assert.equal(after.messages, session.messages);
	assert.ok(Object.isFrozen(after));
});

test('a confirmation is told at once', async () => {
	const { server, session } = setup();
	const hold = pause();
	server.reply(toolCall('c1', 'rm', {}, 'required'), hold, messageEnd('tool_calls'));
	const seen = /** @type {boolean[]} */ ([]);
	session.subscribe(() => seen.push(session.getSnapshot().confirmationPending));
	const sent = session.send('x');
	while (!session.confirmationPending) await new Promise((resolve) => setImmediate(resolve));
	assert.equal(seen.at(-1), true);
	hold.release();
	await sent;
});

test('B061 B060 sessions are independent', async () => {
	const server = scriptedServer();
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch });
	const [a, b] = [client.session('a'), client.session('b')];
	assert.equal(client.session('a'), a);
	const hold = pause();
	server.reply(hold, toolCall('cX', 'rm', {}, 'required'), messageEnd('tool_calls')).reply(text('b'));
	const running = a.send('x');
	await b.send('y');
	hold.release();
	await running;
	assert.equal(a.confirmationPending, true);
	assert.equal(b.confirmationPending, false);
	assert.deepEqual(shape(b.messages), [['user', 'y'], ['assistant', 'b']]);
	client.destroySession('a');
	assert.notEqual(client.session('a'), a);
	await assert.rejects(a.send('z'), { code: 'closed' });
});

test('R36 close settles every promise and leaves nothing running', async () => {
	const { server, session } = setup({ tools: [{ name: 't', handler: () => new Promise(() => {}) }] });
	server.reply(toolCall('c1', 't', {}, undefined, 'frontend'), pause());
	const sent = session.send('x').then(() => 'resolved', (e) => e.code);
	await sleep(5);
	session.close();
	assert.match(await sent, /closed|resolved/);
	assert.equal(server.requests[0].aborted, true);
	assert.equal(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length, 0);
});

test('invalid words and unknown calls decide nothing', async () => {
	const { server, session } = setup();
	server.reply(toolCall('c1', 'rm', {}, 'required'), messageEnd('tool_calls'));
	await session.send('x');
	for (const word of ['yes', 'APPROVE', '', undefined, true, 'allow']) {
		await assert.rejects(session.resolveToolConfirmation('c1', /** @type {any} */ (word)), { code: 'invalid-decision' });
	}
	assert.deepEqual(await session.resolveToolConfirmation('nobody', 'approve'), { outcome: 'not-pending' });
	await assert.rejects(session.resolveToolConfirmation('c1', 'approve', { digest: 'other' }), { code: 'stale-confirmation' });
	assert.equal(session.confirmations[0].state, 'pending');
	assert.equal(server.requests.length, 1);
});

test('B097 B099 names of the prototype are names', async () => {
	const { server, session } = setup();
	server.reply(toolCall('__proto__', 'constructor', {}, 'required', 'frontend'), messageEnd('tool_calls')).reply(text('ok'));
	await session.send('x');
	assert.equal(session.confirmations[0].toolCallId, '__proto__');
	await session.resolveToolConfirmation('__proto__', 'approve');
	const { output } = server.requests[1].body.messages[1].parts.at(-1);
	assert.deepEqual(output, { success: false, error: '[sveda] Unknown frontend tool: constructor' });
	assert.equal(/** @type {any} */ ({}).toolCallId, undefined);
});

test('B104 lone surrogates of the person are sent as well-formed text', async () => {
	const { server, session } = setup();
	server.reply(text('ok'));
	await session.send('\udc00');
	assert.equal(server.requests[0].body.prompt, '\ufffd');
	assert.doesNotMatch(server.requests[0].text, /\\ud[89a-f]/i);
});

test('B046 S44 unknown members of messages and parts survive', async () => {
	const { server, session } = setup();
	server.reply(text('ok'));
	session.setMessages([{ id: 'a', role: 'user', 'x-foo': { deep: [1] }, parts: [{ type: 'text', text: 't', 'y-bar': 1 }, { type: 'brand-new', z: 2 }] }]);
	assert.deepEqual(/** @type {any} */ (session.messages[0])['x-foo'], { deep: [1] });
	await session.send('x');
	const [first] = server.requests[0].body.messages;
	assert.deepEqual(first['x-foo'], { deep: [1] });
	assert.deepEqual(first.parts, [{ type: 'text', text: 't', 'y-bar': 1 }, { type: 'brand-new', z: 2 }]);
});

test('setMessages refuses what is no list, and keeps the chat', () => {
	const { session } = setup();
	session.setMessages([{ id: 'a', role: 'user', parts: [] }]);
	for (const bad of [null, undefined, 'x', {}, 7]) assert.throws(() => session.setMessages(/** @type {any} */ (bad)), { code: 'invalid-messages' });
	assert.equal(session.messages.length, 1);
});

test('nudge is refused where the protocol has none', async () => {
	const { session } = setup();
	await assert.rejects(session.nudge(), { code: 'unsupported' });
});

test('a session works without a client of one\'s own', async () => {
	const server = scriptedServer().reply(text('ok'));
	const session = new SvedaChatSession('c', { endpoints: server.endpoints, fetchFn: server.fetch });
	await session.send('x');
	assert.equal(session.messages.length, 2);
	assert.equal(new SvedaChatSession('d').status, 'idle');
});

test('the platform\'s fetch is called with globalThis as this', async () => {
	const { fetch } = globalThis;
	const server = scriptedServer().reply(text('ok'));
	/** @type {unknown} */
	let self;
	globalThis.fetch = /** @type {any} */ (function (/** @type {any} */ url, /** @type {any} */ init) {
		// @ts-ignore this is what is looked at
		self = this;
		return server.fetch(url, init);
	});
	try {
		const session = new SvedaChatSession('c', { endpoints: server.endpoints });
		await session.send('x');
	} finally {
		globalThis.fetch = fetch;
	}
	assert.equal(self, globalThis);
});

test('S63 headers that throw, or come as a promise', async () => {
	const { server, session } = setup({ headers: async () => ({ 'x-a': '1' }) });
	server.reply(text('ok'));
	await session.send('x');
	assert.equal(server.requests[0].headers['x-a'], '1');
	const bad = setup({ headers: () => { throw new Error('no token'); } });
	await assert.rejects(bad.session.send('x'), (/** @type {any} */ e) => e.code === 'request-failed' && /no token/.test(e.message));
	assert.equal(bad.server.requests.length, 0);
});
