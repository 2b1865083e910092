// What outlives the page, and what several pages agree on, with a storage and
// locks that tests break. The same against a real browser is in test/e2e.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from '../../dist/node.js';
import { core, restarted } from '../../dist/runtime.js';
import { messageEnd, messageStart, pause, scriptedServer, text, toolCall, toolResult } from '../../dist/testing/index.js';
import { FakeLocks } from './support/locks.js';

const { MemoryStorage, SvedaChatSession, SvedaClient } = await load();

/** @type {FakeLocks} */
let locks;
/** @type {import('../../dist/client.js').SvedaClient[]} */
let clients;
/** @type {unknown[]} */
let unhandled;
const note = (/** @type {unknown} */ error) => unhandled.push(error);

beforeEach(() => {
	locks = new FakeLocks();
	clients = [];
	unhandled = [];
	Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true, writable: true });
	process.on('unhandledRejection', note);
});
afterEach(async () => {
	for (const client of clients) {
		client.destroySession('chat');
		client.keeper?.tabs.close();
	}
	await sleep(0);
	process.off('unhandledRejection', note);
	assert.deepEqual(unhandled, [], 'R47: no unhandled rejection');
});

/** A storage that a test can watch and break. */
class Watched extends MemoryStorage {
	/** @type {{name: string, strict?: boolean}[]} */ log = [];
	/** @type {Record<string, () => Promise<any>>} what happens instead */ broken = {};
	/** @param {any[]} args */
	read(...args) { return this.#do('read', args); }
	/** @param {any[]} args */
	write(...args) { return this.#do('write', args, args[2].strict); }
	/** @param {any[]} args */
	nextFence(...args) { return this.#do('nextFence', args); }
	/** @param {any[]} args */
	claim(...args) { return this.#do('claim', args); }
	/** @param {any[]} args */
	setAside(...args) { return this.#do('setAside', args); }
	/** @param {string} name @param {any[]} args @param {boolean} [strict] @returns {Promise<any>} */
	#do(name, args, strict) {
		this.log.push({ name, strict });
		return this.broken[name]?.() ?? /** @type {any} */ (MemoryStorage.prototype)[name].apply(this, args);
	}
}

/** A page of the chat. @param {any} persist @param {ReturnType<typeof scriptedServer>} server @param {object} [options] */
function page(persist, server, options = {}) {
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, persist, ...options });
	clients.push(client);
	return client.createSession('chat');
}

/** The client of a session's page dies without a word. @param {number} n */
function kill(n) {
	const client = clients[n];
	const session = client.session('chat');
	/** @type {any} */ (client.keeper).storage = dead; // nothing that is under way arrives
	session.close();
	locks.kill(/** @type {any} */ (client.keeper).tabs.page);
	client.keeper?.tabs.close();
}
const dead = new Proxy({}, { get: () => () => new Promise(() => {}) });

/** @param {() => boolean} is @param {string} what */
async function until(is, what) {
	for (const end = Date.now() + 5000; !is(); await sleep(5)) if (Date.now() > end) assert.fail(`never: ${what}`);
}

const asks = (/** @type {any} */ target = 'backend') => [
	messageStart('m1'), toolCall('c1', 'tool', { id: 1 }, 'required', target), messageEnd('tool_calls'),
];
const states = (/** @type {any} */ session) => session.confirmations.map((/** @type {any} */ c) => c.state);
const decisions = (/** @type {any} */ server) => server.requests.filter((/** @type {any} */ r) => r.body?.toolDecisions).length;

test('R13 a decision is stored before its request starts, and stays when the page dies in between', async () => {
	const storage = new Watched();
	const server = scriptedServer().reply(...asks());
	const first = page(storage, server);
	await first.send('go');
	await until(() => locks.pending.length === 0 && ![...locks.held.keys()].some((name) => name.includes('act ')), 'the right to act is given back');
	let stored = () => {};
	storage.broken.write = () => new Promise((resolve) => (stored = () => resolve(true)));
	first.resolveToolConfirmation('c1', 'approve').catch(() => {});
	await until(() => storage.log.some(({ name, strict }) => name === 'write' && strict === true), 'a strict write');
	await sleep(30);
	assert.equal(decisions(server), 0, 'the request waits for the store');
	kill(0);

	delete storage.broken.write;
	const again = page(storage, server);
	await again.ready;
	assert.deepEqual(states(again), ['pending'], 'the write never came: the card waits');
	stored();
});

test('R13 R14 a decision that was stored is sent by the page that comes after', async () => {
	const storage = new Watched();
	const server = scriptedServer({ histories: true }).reply(...asks());
	const first = page(storage, server);
	await first.send('go');
	server.hang();
	first.resolveToolConfirmation('c1', 'deny', { reason: 'no' }).catch(() => {});
	await until(() => decisions(server) === 1, 'the decision is on its way');
	const body = server.requests.at(-1)?.body;
	kill(0);

	server.reply(toolResult('c1', 'tool', { success: false, denied: true }), text('fine'));
	const again = page(storage, server);
	await until(() => decisions(server) === 2, 'it is sent again');
	assert.deepEqual(server.requests.at(-1)?.body.toolDecisions, body.toolDecisions);
	await until(() => again.status === 'idle', 'the turn ends');
});

test('R31 decisions and handler starts are strict, everything else is not', async () => {
	const storage = new Watched();
	const server = scriptedServer().reply(...asks('frontend')).reply(text('done'));
	const session = page(storage, server, { tools: [{ name: 'tool', handler: () => 1 }] });
	await session.send('go');
	const before = storage.log.length;
	assert.ok(storage.log.every(({ strict }) => strict !== true), 'a send is not');
	await session.resolveToolConfirmation('c1', 'approve');
	const names = storage.log.slice(before).filter(({ name }) => name === 'write' || name === 'claim').map(({ name, strict }) => `${name}${strict ? ' strict' : ''}`);
	assert.equal(names[0], 'write strict', 'the decision');
	assert.ok(names.indexOf('claim') > 0, 'then the claim');
	assert.ok(names.slice(names.indexOf('claim')).includes('write strict'), 'then the start of the handler');
});

const failures = {
	'QuotaExceededError': () => Promise.reject(new DOMException('full', 'QuotaExceededError')),
	'AbortError': () => Promise.reject(new DOMException('aborted', 'AbortError')),
	'TransactionInactiveError': () => Promise.reject(new DOMException('inactive', 'TransactionInactiveError')),
	'a synchronous throw': () => { throw new TypeError('no indexedDB'); },
};
for (const [name, failure] of Object.entries(failures)) {
	for (const method of ['read', 'write', 'nextFence', 'claim']) {
		test(`R30 F32 ${name} in ${method}: the chat goes on in memory, and says so`, async () => {
			const storage = new Watched();
			storage.broken[method] = async () => failure();
			const server = scriptedServer().reply(...asks('frontend')).reply(text('done'));
			let runs = 0;
			const session = page(storage, server, { tools: [{ name: 'tool', handler: () => ++runs }] });
			const told = /** @type {boolean[]} */ ([]);
			session.on('durable', (durable) => told.push(durable));
			await session.send('go');
			await session.resolveToolConfirmation('c1', 'approve');
			assert.equal(runs, 1);
			assert.ok(told.includes(false), 'the page is told');
			if (method === 'write') assert.equal(session.getSnapshot().durable, false);
		});
	}
}

test('R30 a storage that never answers holds a decision for two seconds, not for ever', async () => {
	const storage = new Watched();
	const server = scriptedServer().reply(...asks()).reply(toolResult('c1', 'tool', 1), text('done'));
	const session = page(storage, server);
	await session.send('go');
	storage.broken.write = () => new Promise(() => {});
	const start = Date.now();
	await session.resolveToolConfirmation('c1', 'approve');
	const took = Date.now() - start;
	assert.ok(took > 1500 && took < 6000, `took ${took} ms`);
	assert.equal(session.durable, false);
});

test('B033 R35 after a reload the same card waits, and one decision is sent', async () => {
	const storage = new MemoryStorage();
	const server = scriptedServer().reply(text('I will.'), ...asks().slice(1));
	await page(storage, server).send('go');
	await until(() => [...locks.held.keys()].every((name) => !name.includes('act ')), 'the right to act is given back');
	kill(0);
	const again = page(storage, server);
	await again.ready;
	assert.deepEqual(states(again), ['pending']);
	assert.equal(again.confirmations[0].arguments.raw, '{"id":1}');
	assert.equal(again.messages.length, 2);
	await assert.rejects(again.send('next'), { code: 'awaiting-consent' });
	server.reply(toolResult('c1', 'tool', 1), text('done'));
	const outcome = await again.resolveToolConfirmation('c1', 'approve');
	assert.equal(outcome.outcome, 'sent');
	assert.equal(decisions(server), 1);
});

test('R17 a turn that is refused leaves no trace in the storage', async () => {
	const storage = new Watched();
	const session = page(storage, scriptedServer().reply(...asks()));
	await session.send('go');
	await sleep(300); // what was put off is written
	const writes = storage.log.filter(({ name }) => name !== 'read').length;
	await assert.rejects(session.send('next'), { code: 'awaiting-consent' });
	await sleep(300);
	assert.equal(storage.log.filter(({ name }) => name !== 'read').length, writes);
});

test('R23 two pages approve one frontend call: its handler runs once', async () => {
	const storage = new MemoryStorage();
	const server = scriptedServer().reply(...asks('frontend'));
	let runs = 0;
	const tools = [{ name: 'tool', handler: () => sleep(50).then(() => ++runs) }];
	const a = page(storage, server, { tools });
	await a.send('go');
	const b = page(storage, server, { tools });
	await b.ready;
	await until(() => states(b)[0] === 'pending', 'the second page shows the card');
	server.reply(text('done'));
	await Promise.allSettled([a.resolveToolConfirmation('c1', 'approve'), b.resolveToolConfirmation('c1', 'approve')]);
	await sleep(100);
	assert.equal(runs, 1);
});

test('S40 R26 a decision in one page drops the buttons of the other within a second', async () => {
	const storage = new MemoryStorage();
	const server = scriptedServer().reply(...asks());
	const a = page(storage, server);
	await a.send('go');
	const b = page(storage, server);
	await b.ready;
	assert.deepEqual(states(b), ['pending']);
	const hold = pause();
	server.reply(hold, toolResult('c1', 'tool', 1), text('done'));
	const decided = a.resolveToolConfirmation('c1', 'approve');
	const start = Date.now();
	await until(() => states(b)[0] !== 'pending', 'the other page drops the card');
	assert.ok(Date.now() - start < 1000);
	hold.release();
	await decided;
	await until(() => !b.confirmationPending, 'the other page is free again');
	assert.equal(decisions(server), 1);
});

test('R25 F29 a page that dies while a handler runs: the outcome is unknown, nothing runs by itself, a new gesture may', async () => {
	const storage = new MemoryStorage();
	const server = scriptedServer().reply(...asks('frontend'));
	let runs = 0;
	const first = page(storage, server, { tools: [{ name: 'tool', handler: () => (++runs, new Promise(() => {})) }] });
	await first.send('go');
	first.resolveToolConfirmation('c1', 'approve').catch(() => {});
	await until(() => runs === 1, 'the handler runs');
	kill(0);

	const again = page(storage, server, { tools: [{ name: 'tool', handler: () => ++runs }] });
	await again.ready;
	await until(() => states(again)[0] === 'outcome-unknown', 'the outcome is unknown');
	await sleep(50);
	assert.equal(runs, 1, 'I2');
	await again.retryUnknown('c1');
	assert.deepEqual(states(again), ['pending']);
	server.reply(text('done'));
	await again.resolveToolConfirmation('c1', 'approve');
	assert.equal(runs, 2);
});

test('F31 a page whose right to act was stolen does nothing more, writes nothing over what came after, and shows it', async () => {
	const storage = new Watched();
	const server = scriptedServer().reply(...asks('frontend')).reply(text('later'));
	let runs = 0;
	const a = page(storage, server, { tools: [{ name: 'tool', handler: () => ++runs }] });
	await a.send('go');
	await until(() => [...locks.held.keys()].every((name) => !name.includes('act ')), 'the right to act is given back');
	const later = a.snapshot();
	// The claim takes so long that somebody steals the lock and writes meanwhile.
	/** @type {(value: any) => void} */
	let claim = () => {};
	storage.broken.claim = () => new Promise((resolve) => (claim = resolve));
	const decided = a.resolveToolConfirmation('c1', 'approve');
	await until(() => storage.log.some(({ name }) => name === 'claim'), 'the claim');
	const name = /** @type {string} */ ([...locks.held.keys()].find((held) => held.includes('act ')));
	void locks.request(name, { steal: true }, () => sleep(300)).catch(() => {});
	const fence = await storage.nextFence('chat');
	const stored = { snapshot: later, fence, version: 1000, page: 'thief', acting: false };
	await storage.write('chat', stored, { strict: true });
	claim({ page: clients[0].keeper?.tabs.page, decision: 'approve', at: Date.now() });
	await decided.catch(() => {}); // it settles, one way or the other
	await sleep(50);
	assert.equal(runs, 0, 'the start of the handler could not be stored, so it did not start');
	assert.equal((await storage.read('chat'))?.page, 'thief');
	await until(() => a.messages.every((m) => m.parts.every((part) => part.type !== 'tool-result')), 'what the other page left is shown');
	assert.equal(a.status, 'idle');
});

test('F31 without Web Locks the claims still hold: a handler runs once', async () => {
	Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true, writable: true });
	const storage = new MemoryStorage();
	const server = scriptedServer().reply(...asks('frontend'));
	let runs = 0;
	const tools = [{ name: 'tool', handler: () => sleep(30).then(() => ++runs) }];
	const a = page(storage, server, { tools });
	await a.send('go');
	const b = page(storage, server, { tools });
	await b.ready;
	server.reply(text('done')).reply(text('done'));
	await Promise.allSettled([a.resolveToolConfirmation('c1', 'approve'), b.resolveToolConfirmation('c1', 'approve')]);
	await sleep(100);
	assert.equal(runs, 1);
});

test('F34 bytes that are no snapshot are kept aside, with a typed error, and the chat goes on', async () => {
	const storage = new MemoryStorage();
	const bad = new Uint8Array([1, 2, 3]);
	await storage.write('chat', { snapshot: bad, fence: 1, version: 5, page: 'old', acting: false });
	const session = page(storage, scriptedServer().reply(text('hi')));
	const errors = /** @type {string[]} */ ([]);
	session.on('error', ({ code }) => errors.push(code));
	await session.ready;
	await until(() => errors.length > 0, 'an error');
	assert.deepEqual(errors, ['snapshot-foreign']);
	assert.deepEqual(storage.aside, [{ chatId: 'chat', snapshot: bad, code: 'snapshot-foreign' }]);
	await session.send('hello');
	assert.equal(session.messages.length, 2);
});

test('F34 a snapshot of a newer package is left where it is', async () => {
	const storage = new MemoryStorage();
	const server = scriptedServer().reply(text('hi'));
	const newer = page(new MemoryStorage(), server);
	const snapshot = newer.snapshot();
	const at = snapshot.indexOf(1, 1 + 'sveda.session'.length); // the version after the name
	const raised = snapshot.slice();
	raised[at] = 100;
	await storage.write('chat', { snapshot: raised, fence: 1, version: 5, page: 'old', acting: false });
	const session = page(storage, server);
	const errors = /** @type {string[]} */ ([]);
	session.on('error', ({ code }) => errors.push(code));
	await session.ready;
	await until(() => errors.length > 0, 'an error');
	assert.deepEqual(errors, ['snapshot-newer']);
	await session.send('hello');
	await sleep(350);
	assert.equal((await storage.read('chat'))?.snapshot, raised);
	assert.equal(session.durable, false);
});

test('S61 I11 what pages tell each other has no content in it', async () => {
	const heard = /** @type {any[]} */ ([]);
	const spy = new BroadcastChannel('svedawasm');
	spy.onmessage = ({ data }) => heard.push(data);
	const server = scriptedServer().reply(...asks('frontend')).reply(text('secret answer'));
	const session = page(new MemoryStorage(), server, { tools: [{ name: 'tool', handler: () => 'secret output' }] });
	await session.send('secret words');
	await session.resolveToolConfirmation('c1', 'approve');
	await until(() => heard.length > 0, 'a hint');
	await sleep(50);
	spy.close();
	for (const hint of heard) assert.deepEqual(hint, { kind: 'changed', chatId: 'chat' });
});

test('clearStorage forgets everything, in every page', async () => {
	const storage = new MemoryStorage();
	const server = scriptedServer().reply(text('one')).reply(text('two')).reply(text('three'));
	const a = page(storage, server);
	await a.send('x');
	const b = page(storage, server);
	await b.ready;
	await clients[0].clearStorage();
	await sleep(20);
	await a.send('y');
	await b.send('z');
	await sleep(350);
	assert.equal(await storage.read('chat'), undefined);
	assert.equal(a.durable, false);
	assert.equal(b.durable, false);
});

test('R36 a closed session leaves no lock and no timer', async () => {
	const storage = new MemoryStorage();
	for (let i = 0; i < 20; i++) {
		const session = page(storage, scriptedServer().reply(text('x')));
		await session.send('x');
		session.close();
		clients.pop()?.keeper?.tabs.close();
	}
	await until(() => locks.held.size === 0 && locks.pending.length === 0, 'all locks are free');
});

test('snapshot() and SvedaChatSession.restore() carry a chat by hand', async () => {
	const server = scriptedServer().reply(...asks());
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch });
	const session = client.createSession('by-hand');
	await session.send('go');
	const restored = SvedaChatSession.restore(session.snapshot(), client);
	assert.equal(restored.chatId, 'by-hand');
	assert.deepEqual(states(restored), ['pending']);
	assert.throws(() => SvedaChatSession.restore(new Uint8Array([0]), client), { code: 'snapshot-foreign' });
});

/** What a trap does to the core: an exception on Go's stack. */
function crash() {
	try {
		core().enter('feed', /** @type {any} */ ({ valueOf() { throw new Error('trap'); } }));
	} catch {
		// it dies of it
	}
}

test('part 7: a dead core: the promise says so, the card waits in the new one, one decision is sent', async () => {
	const server = scriptedServer().reply(...asks());
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch });
	const session = client.createSession('crash');
	await session.send('go');
	await sleep(300); // a relaxed snapshot is taken
	crash();
	assert.equal(session.error?.code, 'core-exited');
	await restarted();
	await until(() => states(session)[0] === 'pending', 'the card is back');
	assert.equal(session.confirmations[0].arguments.raw, '{"id":1}');
	server.reply(toolResult('c1', 'tool', 1), text('done'));
	await session.resolveToolConfirmation('c1', 'approve');
	assert.equal(decisions(server), 1);
	assert.equal(session.status, 'idle');
});

test('part 7: a core that dies while a handler runs: every promise rejects, the handler is not run again', async () => {
	const server = scriptedServer().reply(...asks('frontend'));
	let runs = 0;
	const client = new SvedaClient({
		endpoints: server.endpoints, fetchFn: server.fetch, tools: [{ name: 'tool', handler: () => (++runs, new Promise(() => {})) }],
	});
	const session = client.createSession('crash-2');
	await session.send('go');
	const decided = session.resolveToolConfirmation('c1', 'approve');
	await until(() => runs === 1, 'the handler runs');
	crash();
	await assert.rejects(decided, { code: 'core-exited' });
	await restarted();
	await until(() => states(session)[0] === 'outcome-unknown', 'the outcome is unknown');
	await sleep(50);
	assert.equal(runs, 1);
});

test('part 7: a state that kills each new core is not brought back for ever', async () => {
	const server = scriptedServer().reply(text('x'));
	const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch });
	const session = client.createSession('loop');
	await session.send('x');
	for (let i = 0; i < 5; i++) {
		crash();
		await restarted();
		await sleep(5);
	}
	assert.equal(session.error?.code, 'core-exited');
	assert.ok(core().alive);
});
