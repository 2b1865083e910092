// Turns over a WebSocket, in a browser: the traps of the Go library there
// (WASM.md 2.9), and the whole path against the real runtime through a network
// that breaks.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { Playground, launch } from './kit.js';
import { servePages, strictPolicy } from './pages.js';
import { Proxy } from './proxy.js';
import { serveSockets } from './socket-server.js';

/** The page: it loads the build with WebSockets and keeps what a session tells. */
const script = `
import { load } from '/dist/index.js';
const { SvedaClient } = await load({ transport: 'websocket' });
globalThis.begin = (options, token, chatId = 'c') => {
	const client = new SvedaClient({ transport: 'websocket', headers: () => ({ 'x-sveda-embed-token': token }), ...options });
	const session = (globalThis.session = client.createSession(chatId));
	globalThis.client = client;
	globalThis.states = [];
	globalThis.errors = [];
	session.on('connection', (state) => states.push(state));
	session.on('error', ({ code }) => errors.push(code));
};
globalThis.code = (promise) => promise.then(() => 'done', (error) => error.code ?? String(error));
globalThis.text = () => session.messages.at(-1).parts.filter((p) => p.type === 'text').map((p) => p.text).join('');
document.documentElement.dataset.ready = '';
`;

/** @type {import('puppeteer-core').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof servePages>>} */
let pages;
/** @type {import('puppeteer-core').Page} */
let page;
/** @type {string[]} */
let problems;
const playground = new Playground({ SVEDA_OFFLINE_DELAY: '3ms' });

before(async () => {
	await playground.start();
	browser = await launch();
	const policy = strictPolicy.replace("connect-src 'self'", "connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:*");
	pages = await servePages({ '/page.js': script }, { policy });
});
after(async () => {
	await browser?.close();
	pages?.close();
	await playground.close();
});
beforeEach(async () => {
	page = await browser.newPage();
	problems = [];
	page.on('pageerror', (error) => problems.push(/** @type {Error} */ (error).message));
	await page.goto(pages.url);
	await page.waitForSelector('html[data-ready]', { timeout: 20_000 });
});
afterEach(async () => {
	assert.deepEqual(problems, [], 'no error reached the page');
	await page.close();
});

/** @param {string} code @param {number} [timeout] */
const until = (code, timeout = 10_000) => page.waitForFunction(code, { timeout, polling: 20 });

/** Waits in Node. @param {() => boolean} is @param {number} within ms @param {string} what */
async function soon(is, within, what) {
	for (const end = Date.now() + within; !is(); await new Promise((done) => setTimeout(done, 10))) {
		if (Date.now() > end) assert.fail(`${what} within ${within} ms`);
	}
}

/** @param {string} url */
const toServer = (url) => page.evaluate((socket) => /** @type {any} */ (globalThis).begin({ endpoints: { stream: '/none/stream', socket } }, 'secret'), url);

const opening = { type: 'message.start', messageId: 'm1' };
const closing = { type: 'message.end', finishReason: 'stop' };
/** @param {string} delta */
const words = (delta) => ({ type: 'text.delta', delta });

/** Welcomes every client; `turn` answers requests. @param {(peer: import('./socket-server.js').Peer, id: number) => void} turn */
const welcoming = (turn) =>
	serveSockets((peer, frame) => {
		if (frame.type === 'hello') peer.send({ type: 'welcome', link: 'L', resumed: frame.link === 'L', id: frame.link === 'L' ? 1 : 0 });
		if (frame.type === 'request') turn(peer, frame.id);
	});

test('2.9 the close code is not lost: a close with 4401 is "unauthorized"', async () => {
	const server = await serveSockets((peer, frame) => frame.type === 'hello' && peer.close(4401));
	await toServer(server.url);
	assert.equal(await page.evaluate('code(session.send("hi"))'), 'unauthorized');
	assert.ok(server.peers.length <= 2, 'R11: the token is fetched again once at most');
	assert.ok(server.peers.every(({ frames }) => frames[0].token === 'secret'));
	server.close();
});

test('2.9 nothing leaves a socket open: not the end of a session, not a message over the limit, not silence', async () => {
	const server = await welcoming((peer, id) => peer.send({ type: 'head', seq: 1, id, status: 200 }));
	await toServer(server.url);
	await page.evaluate('void code(session.send("hi"))');
	await soon(() => server.peers[0]?.frames.length === 2, 5000, 'the request arrives');
	await page.evaluate('session.close()');
	await soon(() => server.peers[0].gone, 1000, 'the server sees the close of a closed session');
	assert.equal(server.peers[0].code, 1000);

	await toServer(server.url);
	await page.evaluate('void (globalThis.sent = code(session.send("hi")))');
	await soon(() => server.peers[1]?.frames.length === 2, 5000, 'the request arrives');
	server.peers[1].sendText(`{"type":"event","seq":2,"id":1,"data":"${'x'.repeat(17 << 20)}"}`);
	await soon(() => server.peers[1].gone, 5000, 'the server sees the close after a message over the limit');
	const { code } = server.peers[1];
	assert.ok(code !== undefined && code >= 3000 && code <= 4999, `closed with ${code}`);
	server.close();
});

test('2.9 a message over 32 KiB arrives whole', async () => {
	const long = 'ä'.repeat(100_000);
	const server = await welcoming((peer, id) => {
		peer.turn(1, [opening, words(long), closing]);
		peer.send({ type: 'end', seq: 5, id });
	});
	await toServer(server.url);
	assert.equal(await page.evaluate('code(session.send("hi"))'), 'done');
	assert.equal(await page.evaluate('text()'), long);
	server.close();
});

test('2.9 a burst right before a close is not lost: the client goes on after its last frame', async () => {
	const burst = Array.from({ length: 20 }, (_, i) => words(`${i} `));
	const server = await welcoming((peer) => {
		peer.turn(1, [opening, ...burst]);
		peer.close(4003);
	});
	await toServer(server.url);
	await page.evaluate(() => {
		const g = /** @type {any} */ (globalThis);
		g.sent = g.code(g.session.send('hi'));
		// A page that is busy while the burst and the close arrive.
		setTimeout(() => { for (const end = Date.now() + 300; Date.now() < end; );  }, 5);
	});
	await soon(() => server.peers[1]?.frames.length > 0, 10_000, 'the client comes back');
	const [hello] = server.peers[1].frames;
	assert.deepEqual([hello.link, hello.seq], ['L', 22], 'it took the head, the opening and all 20 events');
	server.peers[1].send({ type: 'event', seq: 23, id: 1, data: closing });
	server.peers[1].send({ type: 'end', seq: 24, id: 1 });
	assert.equal(await page.evaluate('sent'), 'done');
	assert.equal(await page.evaluate('text()'), burst.map(({ delta }) => delta).join(''));
	server.close();
});

test('the end of a turn is an event in the band: the socket stays open for the next', async () => {
	const server = await welcoming((peer, id) => {
		const from = id === 1 ? 1 : 6;
		if (id === 2) peer.send({ type: 'head', seq: 5, id, status: 200 });
		peer.turn(from, [opening, words('one'), closing].slice(id - 1));
		if (id === 1) peer.send({ type: 'end', seq: 5, id });
		else peer.send({ type: 'end', seq: 8, id });
	});
	await toServer(server.url);
	assert.equal(await page.evaluate('code(session.send("hi"))'), 'done');
	assert.equal(await page.evaluate('session.status'), 'idle');
	assert.equal(server.peers[0].gone, false);
	assert.deepEqual(await page.evaluate('states'), ['connecting', 'open']);
	server.close();
});

test('2.20 a core that dies with an open socket: no error on the page, the socket is closed', async () => {
	const server = await welcoming((peer, id) => peer.send({ type: 'head', seq: 1, id, status: 200 }));
	await toServer(server.url);
	await page.evaluate('void (globalThis.sent = code(session.send("hi")))');
	await soon(() => server.peers[0]?.frames.length === 2, 5000, 'the request arrives');
	// What a trap does: an exception on Go's stack.
	await page.evaluate(`import('/dist/runtime.js').then(({ core }) => {
		try { core().enter('feed', { valueOf() { throw new Error('trap'); } }); } catch {}
	})`);
	server.peers[0].send({ type: 'ping' });
	assert.equal(await page.evaluate('sent'), 'core-exited');
	await soon(() => server.peers[0].gone, 2000, 'the socket is closed');
	server.close();
});

/** @param {Record<string, any>} options @param {Proxy} proxy */
async function toRuntime(proxy, options = {}) {
	const { token } = await (await fetch(`${playground.url}/demo/token`)).json();
	await page.evaluate(
		(url, token, options) =>
			/** @type {any} */ (globalThis).begin(
				{ endpoints: { stream: `${url}/sveda/stream`, histories: `${url}/sveda/chat-histories` }, ...options }, token, `chat-${Math.random()}`,
			),
		proxy.url, token, options,
	);
	return token;
}

const socketHead = /^GET \/sveda\/ws/;

test('a confirmed tool runs once over a WebSocket, and the token is in no URL and no header of it', async () => {
	await playground.reset();
	const proxy = await new Proxy(playground.url).start();
	const token = await toRuntime(proxy);
	await page.evaluate('session.send("delete post 2")');
	await until('session.confirmationPending');
	const outcome = await page.evaluate(`session.resolveToolConfirmation(session.confirmations[0].toolCallId, 'approve')`);
	assert.deepEqual(outcome, { outcome: 'sent', decision: 'approve' });
	await until(`session.status === 'idle'`);
	assert.ok(!(await playground.posts()).includes(2));
	assert.equal((await playground.calls()).length, 1);
	const sockets = proxy.heads.filter((head) => socketHead.test(head));
	assert.equal(sockets.length, 1, 'one socket for both turns');
	assert.ok(!sockets[0].includes(token), 'S61');
	assert.ok(!proxy.heads.some((head) => head.startsWith('POST /sveda/stream')), 'no turn went another way');
	proxy.close();
});

test('R8 the connection breaks again and again: nothing lost, nothing doubled, one request', async () => {
	await playground.reset();
	const proxy = await new Proxy(playground.url).start();
	await toRuntime(proxy);
	await page.evaluate('void (globalThis.sent = code(session.send("list posts")))');
	for (let i = 0; i < 6; i++) {
		await new Promise((done) => setTimeout(done, 40 + 25 * i));
		proxy.cut(socketHead);
	}
	assert.equal(await page.evaluate('sent'), 'done');
	assert.equal((await playground.turns()).length, 1);
	const broken = await page.evaluate('text()');
	await toRuntime(proxy);
	assert.equal(await page.evaluate('code(session.send("list posts"))'), 'done');
	assert.equal(broken, await page.evaluate('text()'), 'the text of an unbroken turn');
	proxy.close();
});

test('R20 a decision whose socket breaks is delivered once', async () => {
	await playground.reset();
	const proxy = await new Proxy(playground.url).start();
	await toRuntime(proxy);
	await page.evaluate('session.send("delete post 3")');
	await until('session.confirmationPending');
	await page.evaluate(`void (globalThis.sent = code(session.resolveToolConfirmation(session.confirmations[0].toolCallId, 'approve')))`);
	proxy.cut(socketHead);
	assert.equal(await page.evaluate('sent'), 'done');
	assert.ok(!(await playground.posts()).includes(3));
	assert.equal((await playground.calls()).length, 1);
	proxy.close();
});

test('auto falls back to event streams where no socket can be had', async () => {
	await playground.reset();
	const proxy = await new Proxy(playground.url).start();
	proxy.refuse = socketHead;
	await toRuntime(proxy, { transport: 'auto' });
	assert.equal(await page.evaluate('code(session.send("list posts"))'), 'done');
	assert.equal(await page.evaluate('code(session.send("list posts"))'), 'done');
	assert.equal((await playground.turns()).length, 2);
	assert.equal(proxy.heads.filter((head) => socketHead.test(head)).length, 1, 'it is tried once');
	proxy.close();
});

test('I10 a closed session leaves no timer and no socket', async () => {
	const proxy = await new Proxy(playground.url).start();
	for (let i = 0; i < 5; i++) {
		await toRuntime(proxy);
		await page.evaluate('code(session.send("list posts"))');
		await page.evaluate('session.close()');
	}
	await soon(() => proxy.open(socketHead) === 0, 2000, 'no socket is open');
	proxy.close();
});
