// Asgard's protocol as a page uses it (contract asgard, sections 3 to 7 and 10).
// The rules are tested in Go, statement by statement; here is what JavaScript
// adds: names, promises, the snapshot, errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	ChannelAwaitingConsentError, ChannelBusyError, SvedaClient, ToolCallConsentResult,
	isChannelAwaitingConsentError, isChannelBusyError,
} from '../../dist/auto.node.js';
import { cut, eof, pause, scriptedServer } from '../../dist/testing/index.js';

const base = 'https://runtime.test/ns/demo/bot-provider/posts';

/** @param {object} [options] */
function setup(options = {}) {
	const server = scriptedServer();
	const client = new SvedaClient({ dialect: 'asgard', botProviderEndpoint: `${base}/`, fetchFn: server.fetch, ...options });
	return { server, client, session: client.createSession('ch') };
}

/** @param {string} kind @param {Record<string, any>} [fact] */
const frame = (kind, fact = {}) =>
	`event: asgard.${kind}\ndata: ${JSON.stringify({ eventType: `asgard.${kind}`, requestId: 'req-1', fact })}\n\n`;
const init = frame('run.init', { runInit: {} });
const done = frame('run.done', { runDone: {} });
/** @param {string} id @param {string} text */
const said = (id, text) => frame('message.complete', { messageComplete: { message: { messageId: id, text } } });
/** @param {string} text */
const failed = (text) => frame('run.error', { runError: { error: { message: text, code: 'FAILED_PRECONDITION' } } });
/** @param {...(string | [string, string])} calls ids, or ids with a tool */
const consent = (...calls) =>
	frame('tool_call.consent', {
		toolCallConsent: {
			processId: 'proc-1',
			pendingCalls: calls.map((c) => ({
				toolCallId: String([c].flat()[0]), toolsetName: 'posts', toolName: [c].flat()[1] ?? 'delete_post',
				parameter: { post_id: 2 }, alreadyAllowed: false, reason: '',
			})),
		},
	});

test('W27 the core needs no window and no document', () => {
	assert.equal('window' in globalThis || 'document' in globalThis, false); // and all tests of this file run
});

/** A session whose first turn asks. @param {...string} calls */
async function asked(...calls) {
	const made = setup();
	made.server.reply(init, consent(...calls), done, eof);
	await made.session.sendMessage({ text: 'delete' });
	return made;
}

test('C4 L6 sendMessage and nudge reject while a consent waits, and leave no trace', async () => {
	const { server, session } = await asked('a');
	const { messages } = session;
	for (const turn of [() => session.sendMessage({ text: 'no' }), () => session.nudge(), () => session.send('no'), () => session.open()]) {
		/** @type {any} */
		const error = await turn().catch((reason) => reason); // a promise rejects, nothing is thrown
		assert.ok(error instanceof ChannelAwaitingConsentError);
		assert.equal(error.name, 'ChannelAwaitingConsentError');
		assert.equal(error.message, 'Cannot send this turn while the channel is awaiting a tool-call consent response.');
		assert.equal(error.processId, 'proc-1');
		assert.ok(isChannelAwaitingConsentError(error));
	}
	assert.equal(server.requests.length, 1);
	assert.equal(session.messages, messages);
});

test('C4 the errors are known across two copies of the package', async () => {
	const url = new URL('../../dist/errors.js', import.meta.url);
	const other = await import(`${url.href}?copy`);
	const { session } = await asked('a');
	const error = await session.nudge().catch((reason) => reason);
	assert.equal(error instanceof other.ChannelAwaitingConsentError, false);
	assert.equal(other.isChannelAwaitingConsentError(error), true);
	assert.equal(other.isChannelBusyError(error), false);
	const busy = new other.ChannelBusyError('busy');
	assert.equal(busy instanceof ChannelBusyError, false);
	assert.equal(isChannelBusyError(busy), true);
});

test('L5 one run at a time: ChannelBusyError says what holds the channel', async () => {
	const { server, session } = setup();
	const held = pause();
	server.reply(init, held, done, eof);
	const turn = session.sendMessage({ text: 'x' });
	const error = await session.nudge().catch((reason) => reason);
	assert.ok(error instanceof ChannelBusyError && isChannelBusyError(error));
	assert.equal(error.runKind, 'user');
	held.release();
	await turn;
	assert.equal(server.requests.length, 1);
});

test('Q1 Q4 a batch of four with an automatic one: one reply, and the place in the snapshot', async () => {
	const { server, session } = setup();
	server.reply(init, frame('tool_call.consent', {
		toolCallConsent: {
			processId: 'p', pendingCalls: ['a', 'b', 'c', 'd'].map((id) => ({
				toolCallId: id, toolsetName: 'posts', toolName: id === 'b' ? 'list' : 'delete_post', parameter: {}, alreadyAllowed: id === 'b', reason: '',
			})),
		},
	}), done, eof);
	await session.send('x');
	const place = () => [session.getSnapshot().currentIndex, session.getSnapshot().totalCount];
	assert.deepEqual(place(), [1, 4]);
	const first = await session.replyToolCallConsents([{ toolCallId: 'a', result: 'ALLOW_ONCE' }]);
	assert.deepEqual(first, [{ toolCallId: 'a', outcome: 'staged', decision: 'approve' }]);
	assert.deepEqual(place(), [3, 4], 'the automatic one counts and is not asked');
	await session.replyToolCallConsents([{ toolCallId: 'c', result: 'DENY_ONCE', denyReason: 'keep it' }]);
	assert.equal(server.requests.length, 1);
	server.reply(init, said('m', 'ok'), done, eof);
	const [last] = await session.replyToolCallConsents([{ toolCallId: 'd', result: ToolCallConsentResult.ALLOW_ALWAYS }]);
	assert.equal(last.outcome, 'sent');
	assert.deepEqual(server.requests[1].body, {
		action: 'RESPONSE_TOOL_CALL_CONSENT', customChannelId: 'ch', customMessageId: session.messages[0].id, text: '',
		toolCallConsents: [
			{ toolCallId: 'a', result: 'ALLOW_ONCE', denyReason: '' }, { toolCallId: 'b', result: 'ALLOW_ONCE', denyReason: '' },
			{ toolCallId: 'c', result: 'DENY_ONCE', denyReason: 'keep it' }, { toolCallId: 'd', result: 'ALLOW_ALWAYS', denyReason: '' },
		],
	});
	assert.deepEqual(place(), [0, 0]);
});

test('W11 an empty list and answers to nothing send nothing', async () => {
	const { server, session } = setup();
	assert.deepEqual(await session.replyToolCallConsents([]), []);
	assert.deepEqual(await session.replyToolCallConsents([{ toolCallId: 'x', result: 'ALLOW_ONCE' }]), [{ toolCallId: 'x', outcome: 'not-pending' }]);
	assert.equal(server.requests.length, 0);
});

test('W12 a payload function is called at send time, and one that throws takes nothing away', async () => {
	const { server, session } = await asked('a');
	const reply = [{ toolCallId: 'a', result: /** @type {const} */ ('ALLOW_ONCE') }];
	const bad = () => { throw new RangeError('no payload'); };
	await assert.rejects(session.replyToolCallConsents(reply, {}, bad), RangeError);
	await assert.rejects(session.replyToolCallConsents(reply, { payload: bad }), RangeError);
	assert.equal(session.confirmations[0].state, 'pending');
	await assert.rejects(session.sendMessage({ text: 'y', payload: bad }), RangeError);
	assert.equal(session.messages.filter((m) => m.role === 'user').length, 1);
	server.reply(init, done, eof);
	await session.replyToolCallConsents(reply, {}, () => ({ k: 1 }));
	assert.deepEqual(server.requests[1].body.payload, { k: 1 });
	server.reply(init, done, eof);
	await session.nudge({}, { k: 2 });
	assert.deepEqual([server.requests[2].body.action, server.requests[2].body.payload], ['NUDGE', { k: 2 }]);
});

test('W1 a refusal inside a 200 stream rejects, keeps the prompt, and reads the state again', async () => {
	const { server, session } = await asked('a', 'b');
	await session.replyToolCallConsents([{ toolCallId: 'a', result: 'DENY_ONCE', denyReason: 'typed' }]);
	const told = /** @type {any[]} */ ([]);
	session.on('error', (error) => told.push(error.code));
	server.reply(init, failed('use RespondToolCallConsent'), eof).reply(init, consent('a', 'b'), done, eof);
	const refused = await session.resolveToolConfirmation('b', 'approve').catch((error) => error);
	assert.equal(refused.code, 'refused');
	assert.equal(refused.serverMessage, 'use RespondToolCallConsent');
	assert.deepEqual(told, ['refused']);
	assert.equal(session.confirmationPending, true);
	while (session.isStreaming) await new Promise((resolve) => setTimeout(resolve, 5));
	assert.equal(server.requests[2].method, 'GET');
	assert.deepEqual(session.confirmations.map((c) => [c.toolCallId, c.state, c.reason]), [['a', 'deciding', 'typed'], ['b', 'pending', undefined]]);
	assert.equal(session.getSnapshot().currentIndex, 2);
	server.reply(init, said('m', 'ok'), done, eof);
	await session.resolveToolConfirmation('b', 'deny');
	assert.deepEqual(server.requests[3].body.toolCallConsents.map((/** @type {any} */ c) => [c.result, c.denyReason]), [['DENY_ONCE', 'typed'], ['DENY_ONCE', '']]);
});

test('L9 stopGeneration asks the server and settles with its answer; the run ends with its own last event', async () => {
	const { server, session } = setup();
	const held = pause();
	server.reply(init, said('m', 'half'), held, done, eof);
	const turn = session.sendMessage({ text: 'x' });
	while (session.runStatus.requestId === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
	const phases = /** @type {any[]} */ ([]);
	session.on('runStatus', (status) => phases.push([status.kind, status.stopPhase]));
	server.respond(202);
	await session.stopGeneration();
	assert.equal('Accept' in server.requests[1].headers, false);
	assert.equal(server.requests[1].url, `${base}/message/suspend?custom_channel_id=ch&request_id=req-1`);
	assert.equal(server.requests[1].method, 'POST');
	assert.equal(session.runStatus.stopPhase, 'stopping');
	await session.stopGeneration();
	assert.equal(server.requests.length, 2, 'a second press changes nothing');
	held.release();
	await turn;
	assert.deepEqual(session.runStatus, { kind: null, stopPhase: 'idle' });
	assert.deepEqual(phases[0], ['user', 'stopping']);
	assert.equal(session.getSnapshot().runStatus, session.runStatus);
});

test('L9 a stop that fails rejects and is rolled back', async () => {
	const { server, session } = setup();
	const held = pause();
	server.reply(init, held, done, eof);
	const turn = session.sendMessage({ text: 'x' });
	server.respond(500);
	await assert.rejects(session.stopGeneration(), { code: 'http-status', status: 500, message: 'HTTP 500: Internal Server Error' });
	assert.equal(session.runStatus.stopPhase, 'idle');
	held.release();
	await turn;
});

test('L1 L11 restore: absent, created, read; reset deletes and opens', async () => {
	const { server, session } = setup();
	server.respond(404);
	assert.deepEqual(await session.restore(), { exists: false });
	server.respond(404).reply(init, said('m0', 'hello'), done, eof);
	await session.restore({ create: true });
	assert.deepEqual(server.requests.map((r) => r.method), ['GET', 'GET', 'POST']);
	assert.equal(server.requests[2].body.text, '');
	server.respond(500);
	await assert.rejects(session.restore({ create: true }), { status: 500 });
	const titles = /** @type {string[]} */ ([]);
	session.on('title', (title) => titles.push(title));
	server.respond(200, { title: 'Posts', runState: 'IDLE' }).reply(said('m0', 'hello'), init, consent('a'), done, eof);
	assert.deepEqual(await session.restore(), { exists: true });
	assert.deepEqual(titles, ['Posts']);
	assert.deepEqual(session.messages.map((m) => m.parts.map((p) => p.type)), [['text', 'tool-call']], 'one message, whose call waits');
	assert.equal(session.confirmationPending, true);
	server.respond(204).reply(init, said('m9', 'new'), done, eof);
	await session.reset({ payload: { fresh: true } });
	assert.deepEqual(server.requests.slice(-2).map((r) => r.method), ['DELETE', 'POST']);
	assert.deepEqual(server.requests.at(-1)?.body.payload, { fresh: true });
	assert.equal(session.confirmationPending, false);
	assert.deepEqual(session.confirmations, []);
	assert.equal(session.messages.length, 1);
});

test('X-Trace-Id and the run are told; events of every kind reach the listeners', async () => {
	const server = scriptedServer();
	const body = init + frame('subagent.start', { subagentStart: { agentId: 'a' } }) + frame('tomorrow', { x: 1 }) + said('m', 'hi') + done;
	const client = new SvedaClient({
		dialect: 'asgard', botProviderEndpoint: base,
		fetchFn: async (url, init) => {
			await server.fetch(/** @type {any} */ (url), init).catch(() => {});
			return new Response(body, { headers: { 'content-type': 'text/event-stream', 'X-Trace-Id': 'trace-7' } });
		},
	});
	const session = client.createSession('ch');
	const kinds = /** @type {string[]} */ ([]);
	const traces = new Set();
	session.on('event', (event) => kinds.push(event.eventType));
	session.on('runStatus', (status) => traces.add(status.traceId));
	await session.sendMessage({ text: 'x', customMessageId: 'mine', blobIds: ['b1'] });
	assert.deepEqual(kinds, ['run.init', 'subagent.start', 'tomorrow', 'message.complete', 'run.done'].map((kind) => `asgard.${kind}`));
	assert.ok(traces.has('trace-7'));
	assert.equal(server.requests[0].body.customMessageId, 'mine');
	assert.deepEqual(server.requests[0].body.blobIds, ['b1']);
	assert.equal(session.messages[0].id, 'mine');
});

test('W25 W26 a throwing listener wedges nothing, and close in the middle settles', async () => {
	const { server, session } = setup();
	const off = session.on('runStatus', () => { throw new Error('listener'); });
	/** @type {any[]} */
	const reported = [];
	const before = globalThis.reportError;
	const onError = (/** @type {any} */ error) => reported.push(error);
	process.once('uncaughtException', onError);
	globalThis.reportError = onError;
	try {
		server.reply(init, said('m', 'hi'), done, eof);
		await session.sendMessage({ text: 'x' });
	} finally {
		globalThis.reportError = before;
		process.off('uncaughtException', onError);
	}
	off();
	assert.equal(session.status, 'idle');
	server.reply(init, pause(), done, eof);
	const turn = session.sendMessage({ text: 'y' });
	while (!session.isStreaming) await new Promise((resolve) => setTimeout(resolve, 1));
	session.close();
	await turn.catch(() => {});
	assert.equal(server.requests[1].aborted, true);
});

test('W3 X3 a reply that was taken and then cut is looked up, not sent again', async () => {
	const { server, session } = await asked('a');
	server.reply(init, said('m', 'dele'), cut).reply(said('m', 'deleted'), done, eof);
	await assert.rejects(session.resolveToolConfirmation('a', 'approve'), { code: 'stream-cut' });
	while (session.isStreaming) await new Promise((resolve) => setTimeout(resolve, 5));
	assert.deepEqual(server.requests.map((r) => r.method), ['POST', 'POST', 'GET']);
	assert.equal(session.confirmations[0].state, 'resolved');
	assert.equal(session.confirmationPending, false);
});
