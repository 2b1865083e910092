// The traps of Go in a browser, each named after its number in WASM.md.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../../dist/node.js';
import { core, restarted } from '../../dist/runtime.js';
import { messageEnd, pause, scriptedServer, text, toolCall, toolResult } from '../../dist/testing/index.js';

const globalsBefore = Object.getOwnPropertyNames(globalThis);
const probe = await readFile(new URL('../output/probe.wasm', import.meta.url));
const { SvedaClient, SvedaToolRegistry } = await load({ wasm: probe });

/** @param {ReturnType<typeof scriptedServer>} server @param {object} [options] */
const chat = (server, options) =>
	new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, ...options }).createSession();

test('2.25 the page gets no new globals', () => {
	assert.deepEqual(Object.getOwnPropertyNames(globalThis), globalsBefore);
});

test('2.3 whatever a page throws, the turn goes on with an error result', async () => {
	const { proxy, revoke } = Proxy.revocable({}, {});
	revoke();
	const thrown = [
		new Error('x'), new DOMException('stopped', 'AbortError'), 'text', null, undefined, 42, {}, Object.freeze({ message: 'm' }),
		proxy, { get message() { throw new Error('no'); } },
	];
	for (const value of thrown) {
		const server = scriptedServer();
		server.reply(toolCall('c1', 'tool', {}, undefined, 'frontend'), messageEnd('tool_calls')).reply(text('ok'));
		const session = chat(server, { tools: [{ name: 'tool', handler: () => { throw value; } }] });
		await session.send('go');
		const { output } = server.requests[1].body.messages.at(-1).parts[0];
		assert.equal(output.success, false);
		assert.equal(typeof output.error, 'string');
		assert.equal(session.status, 'idle');
	}
});

test('2.4 a throwing getter or a revoked proxy throws in JavaScript; the core still answers', async () => {
	const session = chat(scriptedServer().reply(text('ok')));
	const trap = { get name() { throw new Error('trap'); } };
	const { proxy, revoke } = Proxy.revocable({}, {});
	revoke();
	for (const bad of [trap, proxy]) {
		await assert.rejects(session.send('x', { context: /** @type {any} */ (bad) }));
		await assert.rejects(session.send('x', { files: [/** @type {any} */ (bad)] }));
		assert.throws(() => session.setMessages([bad]));
		assert.throws(() => new SvedaToolRegistry([/** @type {any} */ (bad)]));
	}
	assert.deepEqual(session.messages, []);
	await session.send('x');
	assert.equal(session.messages[1].parts[0].text, 'ok');
});

test('2.5 a listener may call into the session from every event', async () => {
	for (const call of [
		(/** @type {any} */ s) => void s.send('again').catch(() => {}),
		(/** @type {any} */ s) => void s.stop(),
		(/** @type {any} */ s) => s.setMessages([]),
		(/** @type {any} */ s) => void s.resolveToolConfirmation('c1', 'deny').catch(() => {}),
		(/** @type {any} */ s) => s.close(),
	]) {
		for (const event of ['messages', 'status', 'event', 'title', 'finish', 'confirmations', 'confirmationPending']) {
			const server = scriptedServer();
			for (let i = 0; i < 3; i++) {
				server.reply(text('a'), toolCall('c1', 'rm', {}, 'required'), messageEnd('tool_calls'), { type: 'chat.title', title: 'T' });
			}
			const session = chat(server);
			let calls = 0;
			session.on(/** @type {any} */ (event), () => {
				if (calls++ < 2) call(session);
			});
			session.on('event', () => {});
			await session.send('go').catch(() => {});
			await sleep(0);
			session.close();
		}
	}
	assert.ok(core().alive);
});

test('2.5 a call from inside a listener meets the state of all that has arrived', async () => {
	const server = scriptedServer();
	const both = [text('one'), text('two'), messageEnd()].map((e) => `data: ${JSON.stringify(e)}\n\n`).join('');
	server.reply(both, messageEnd());
	const session = chat(server);
	const seen = /** @type {string[]} */ ([]);
	session.on('event', (e) => {
		seen.push(`${e.type} ${session.messages.at(-1)?.parts.map((/** @type {any} */ p) => p.text).join('')}`);
		if (seen.length === 1) {
			void session.stop();
			seen.push(`after stop: ${session.messages.at(-1)?.parts[0].text} ${session.status}`);
		}
	});
	await session.send('go').catch(() => {});
	assert.deepEqual(seen.slice(0, 3), ['text.delta ', 'after stop: onetwo idle', 'text.delta onetwo']);
});

test('2.6 a panic inside a call is the error "internal"; the instance lives on', async () => {
	const { ask } = await import('../../dist/ask.js');
	assert.throws(() => ask(core(), 'SvedaProbe', 'panic', []), { code: 'internal' });
	const length = core().enter('probePanic');
	assert.match(new TextDecoder().decode(core().frame(length)), /"code":"internal"/);
	const session = chat(scriptedServer().reply(text('ok')));
	await session.send('x');
	assert.equal(session.messages[1].parts[0].text, 'ok');
});

test('2.8 deep JSON in any field is survived', async () => {
	const deep = '['.repeat(10_000) + ']'.repeat(10_000);
	const fields = [
		`{"type":"text.delta","delta":${deep}}`,
		`{"type":"tool.call","toolCallId":"c1","toolName":"t","target":"backend","input":${deep},"confirmation":"required"}`,
		`{"type":"tool.call","toolCallId":"c2","toolName":"t","target":"backend","input":{"a":${deep}}}`,
		`{"type":"tool.result","toolCallId":"c1","toolName":"t","output":${deep}}`,
		`{"type":"message.end","usage":${deep}}`,
		`{"type":${deep}}`, deep,
	];
	const server = scriptedServer();
	server.reply(...fields.map((field) => `data: ${field}\n\n`), text('still here'), messageEnd());
	const session = chat(server, { tools: [{ name: 't', handler: () => JSON.parse(deep) }] });
	await session.send('x').catch(() => {});
	assert.ok(core().alive);
	assert.equal(session.messages[1].parts.at(-1).text, 'still here');
	assert.throws(() => session.setMessages(JSON.parse(`[{"id":"a","role":"user","parts":[{"type":"x","y":${deep}}]}]`)));
	assert.ok(core().alive);
});

/** Counts what is added to event targets and removed again. @returns {() => {added: number, removed: number}} ends it */
function countListeners() {
	const { addEventListener, removeEventListener } = EventTarget.prototype;
	let added = 0;
	let removed = 0;
	EventTarget.prototype.addEventListener = function (/** @type {[any, any, any]} */ ...args) {
		added++;
		addEventListener.apply(this, args);
	};
	EventTarget.prototype.removeEventListener = function (/** @type {[any, any, any]} */ ...args) {
		removed++;
		removeEventListener.apply(this, args);
	};
	return () => {
		Object.assign(EventTarget.prototype, { addEventListener, removeEventListener });
		return { added, removed };
	};
}

test('2.1 B150 R36 two thousand turns leave references, functions, listeners, timers and the memory flat', async () => {
	const server = scriptedServer();
	const client = new SvedaClient({
		endpoints: server.endpoints, fetchFn: server.fetch, tools: [{ name: 'auto', handler: () => ({ done: true }) }],
	});
	let session = client.createSession('chat_0');
	let turns = 0;
	const turn = async () => {
		if (++turns % 50 === 0) {
			client.destroySession(session.chatId);
			session = client.createSession(`chat_${turns}`);
		}
		server.reply(toolCall(`call_${turns}_of_the_model`, 'auto', { a: 1 }, undefined, 'frontend'), messageEnd('tool_calls'));
		server.reply(text('word '.repeat(200)));
		await session.send('go');
		server.requests.length = 0;
	};
	/** Turns, and the least that was held after one: what a call holds is there until it is collected. */
	const run = async (/** @type {number} */ count) => {
		let least = core().footprint;
		for (let i = 0; i < count; i++) {
			await turn();
			const now = core().footprint;
			least = { ...now, references: Math.min(now.references, least.references), functions: Math.min(now.functions, least.functions) };
		}
		return least;
	};
	await run(1000); // the heap finds its size
	const before = await run(500);
	const listeners = countListeners();
	const after = await run(500);
	assert.ok(after.references <= before.references + 8, `references: ${before.references} to ${after.references}`);
	assert.ok(after.functions <= before.functions, `js.Func values: ${before.functions} to ${after.functions}`);
	assert.ok(after.memory <= before.memory + 2 * 2 ** 20, `memory: ${before.memory} to ${after.memory}`);
	const { added, removed } = listeners();
	// A turn is two requests; as fetch does, the server keeps a listener on the signal of each.
	assert.deepEqual({ added, removed }, { added: 2000, removed: 1000 }, 'listeners');
	const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
	assert.ok(timers <= 2, `${timers} timers: one is of Go's collector, one takes the next snapshot`);
});

test('2.16 strings of every kind cross unchanged', async () => {
	const input = '🙂é中\u0000\u2028"\\';
	const server = scriptedServer().reply(text(input));
	const session = chat(server);
	await session.send(input);
	assert.equal(server.requests[0].body.prompt, input);
	assert.equal(session.messages[1].parts[0].text, input);
});

test('2.13 a large response is taken in pieces, and never holds the event loop for long', async () => {
	const server = scriptedServer();
	const big = text('x'.repeat(1000));
	for (let round = 0; round < 3; round++) server.reply(Array.from({ length: 2000 }, () => `data: ${JSON.stringify(big)}\n\n`).join(''), messageEnd());
	const session = chat(server);
	// Of three runs the best: what else the machine does takes turns too.
	let least = Infinity;
	for (let round = 0; round < 3; round++) {
		let longest = 0;
		let last = performance.now();
		let going = true;
		const look = () => {
			const now = performance.now();
			longest = Math.max(longest, now - last);
			last = now;
			if (going) setImmediate(look);
		};
		session.setMessages([]);
		setImmediate(look);
		await session.send('go');
		going = false;
		least = Math.min(least, longest);
	}
	assert.ok(least < 25, `the event loop waited for ${least} ms during 2 MB`);
	assert.equal(session.messages[1].parts[0].text.length, 2_000_000);
});

test('2.8 R20 a stack overflow kills the instance: waiting promises reject, a new one starts', async () => {
	const hold = pause();
	const server = scriptedServer().reply(text('half'), hold);
	const session = chat(server);
	const errors = /** @type {any[]} */ ([]);
	session.on('error', (error) => errors.push(error));
	const sent = session.send('go');
	while (session.messages.at(-1)?.parts.length !== 1) await sleep(1);
	const dead = core();
	assert.throws(() => dead.enter('probeDeep', 10_000_000), { code: 'core-exited' });
	await assert.rejects(sent, { code: 'core-exited' });
	hold.release();
	assert.equal(dead.alive, false);
	assert.equal(session.status, 'error');
	assert.deepEqual(errors.map((e) => e.code), ['core-exited']);
	assert.equal(session.messages[1].parts[0].text, 'half', 'what was shown can still be read');
	await assert.rejects(session.send('more'), { code: 'core-exited' });
	assert.throws(() => dead.enter('outbox'), { code: 'core-exited' });

	await restarted();
	assert.notEqual(core(), dead);
	const next = chat(scriptedServer().reply(text('again')));
	await next.send('go');
	assert.equal(next.messages[1].parts[0].text, 'again');
});

test('R20 registries and clients of before a crash serve the new instance', async () => {
	const server = scriptedServer();
	server.reply(toolCall('c1', 'auto', {}, undefined, 'frontend'), messageEnd('tool_calls')).reply(text('ok'));
	const ran = /** @type {any[]} */ ([]);
	const client = new SvedaClient({
		endpoints: server.endpoints, fetchFn: server.fetch,
		tools: [{ name: 'auto', handler: (input) => ran.push(input) }, { name: 'gone', handler: () => {} }],
	});
	client.toolRegistry.unregister('gone');
	client.contextRegistry.register('page', 'home');
	assert.throws(() => core().enter('probeDeep', 10_000_000), { code: 'core-exited' });
	await restarted();
	assert.deepEqual(client.toolRegistry.list().map((tool) => tool.name), ['auto']);
	await client.createSession().send('go');
	assert.deepEqual(ran, [{}]);
	assert.deepEqual(server.requests[0].body.context, { page: 'home' });
});

test('2.2 2.20 2.6 a panic in a goroutine or a deadlock ends as core-exited, with what Go said', async () => {
	for (const [name, words] of [['goroutinePanic', /probe in a goroutine/], ['deadlock', /deadlock/]]) {
		const dead = core();
		/** @type {any} */
		let error;
		dead.onExit((e) => (error = e));
		try {
			dead.call('SvedaProbe', String(name));
		} catch {
			// the call itself may say so
		}
		await sleep(0);
		assert.equal(error?.code, 'core-exited', String(name));
		assert.match(error.goPanic, /** @type {RegExp} */ (words));
		await restarted();
	}
});

test('2.10 2.11 B152 300 MB of stream leave the memory small', { timeout: 120_000 }, async () => {
	const chunk = new TextEncoder().encode(`: ${'x'.repeat(65_000)}\n`);
	const server = scriptedServer();
	server.reply(...Array.from({ length: 300 * 16 }, () => chunk), text('end'), messageEnd());
	const session = chat(server);
	await session.send('go');
	assert.equal(session.messages[1].parts[0].text, 'end');
	assert.ok(core().footprint.memory < 32 * 2 ** 20, `memory: ${core().footprint.memory}`);
	assert.ok(process.memoryUsage().arrayBuffers < 64 * 2 ** 20);
});

test('2.11 S58 a line without end is an error, and the memory stays bounded', { timeout: 120_000 }, async () => {
	const chunk = new Uint8Array(64 * 1024).fill(0x78);
	const server = scriptedServer();
	server.reply('data: ', ...Array.from({ length: 1024 }, () => chunk));
	const session = chat(server);
	await assert.rejects(session.send('go'), { code: 'too-large' });
	assert.ok(core().footprint.memory < 96 * 2 ** 20, `memory: ${core().footprint.memory}`);
	assert.ok(server.requests[0].aborted);
});

test('2.21 R36 an object that was closed says so', async () => {
	const session = chat(scriptedServer().reply(text('ok')));
	await session.send('x');
	session.close();
	session.close();
	await assert.rejects(session.send('x'), { code: 'closed' });
	assert.throws(() => session.setMessages([]), { code: 'closed' });
	assert.equal(session.messages.length, 2);
});

test('2.2 B148 every call returns while the server never answers', async () => {
	const client = new SvedaClient({
		endpoints: { stream: 'http://localhost/sveda/stream', histories: 'http://localhost/sveda/chat-histories' },
		fetchFn: () => new Promise(() => {}),
	});
	const session = client.createSession('waits');
	const turn = session.send('hello');
	await assert.rejects(session.send('again'), { code: 'busy' });
	assert.deepEqual(await session.resolveToolConfirmations([{ toolCallId: 'none', decision: 'approve' }]), [
		{ toolCallId: 'none', outcome: 'not-pending' },
	]);
	const reading = session.reload();
	assert.equal(session.status, 'submitted');
	session.stop();
	await turn;
	assert.equal(session.status, 'idle');
	session.close();
	await reading.catch(() => {});
	assert.equal(new SvedaClient({ endpoints: { stream: 'http://localhost/x' } }).createSession('c').status, 'idle', 'the core answers');
});

test('B156 the core stays alive while nothing happens', async () => {
	await sleep(1100);
	assert.ok(core().alive);
	const session = chat(scriptedServer().reply(toolResult('c9', 't', 1), text('ok')));
	await session.send('x');
	assert.equal(session.status, 'idle');
});
