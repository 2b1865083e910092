// The choice of the transport, without a socket; sockets are in test/e2e.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvedaClient } from '../../dist/auto.node.js';
import { lendWebSocket } from '../../dist/socket.js';
import { scriptedServer, text } from '../../dist/testing/index.js';
import { socketURL } from '../../dist/url.js';

test('the socket stands beside the stream, unless it is named', () => {
	for (const [given, stream, want] of /** @type {[string | undefined, string, string | undefined][]} */ ([
		[undefined, 'https://a.test/sveda/stream', 'wss://a.test/sveda/ws'],
		[undefined, 'http://127.0.0.1:8787/sveda/stream?x=1', 'ws://127.0.0.1:8787/sveda/ws?x=1'],
		[undefined, 'https://a.test/chat', undefined],
		[undefined, '/sveda/stream', undefined], // no page to be relative to
		['https://b.test/socket#x', 'https://a.test/chat', 'wss://b.test/socket'],
		['wss://b.test/socket', 'https://a.test/chat', 'wss://b.test/socket'],
	])) {
		assert.equal(socketURL(given, stream), want, `${given} ${stream}`);
	}
});

test('a transport that cannot be is refused at once, with a code', () => {
	const endpoints = { stream: 'https://a.test/sveda/stream' };
	assert.throws(() => new SvedaClient({ endpoints, transport: /** @type {any} */ ('carrier pigeon') }), { code: 'invalid-option' });
	assert.throws(() => new SvedaClient({ endpoints, transport: 'websocket' }), { code: 'unsupported' }, 'this build has no sockets');
	assert.throws(() => new SvedaClient({ endpoints, protocolMode: 'vercel', transport: 'websocket' }), { code: 'unsupported' });
	assert.throws(() => new SvedaClient({ endpoints: { stream: '/chat' }, transport: 'websocket' }), { code: 'invalid-option' });
	assert.throws(
		() => new SvedaClient({ endpoints: { ...endpoints, socket: 'ws://elsewhere.test/ws' }, transport: 'auto' }),
		{ code: 'invalid-endpoint' }, 'S70',
	);
});

test('auto without a build for sockets uses event streams', async () => {
	const server = scriptedServer().reply(text('hi'));
	const session = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch, transport: 'auto' }).createSession();
	await session.send('x');
	assert.equal(server.requests.length, 1);
});

test('2.9 the class that Go dials with keeps close codes, closes in any case, and shields a dead core', () => {
	/** @type {any[]} */
	const made = [];
	class Platform extends EventTarget {
		/** @type {any[][]} */ closes = [];
		/** @param {any[]} args */
		constructor(...args) {
			super();
			this.args = args;
			made.push(this);
		}
		/** @param {number} [code] @param {string} [reason] */
		close(code, reason) {
			if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) throw new DOMException('code', 'InvalidAccessError');
			this.closes.push([code, reason]);
		}
	}
	const before = globalThis.WebSocket;
	globalThis.WebSocket = /** @type {any} */ (Platform);
	try {
		/** @type {Record<string, any>} */
		const own = {};
		let alive = true;
		const closeAll = lendWebSocket(own, () => alive);
		own.svedaSocketNumber = 7;
		const socket = new own.WebSocket('wss://a.test/', ['p']);
		assert.deepEqual(made[0].args, ['wss://a.test/', ['p']]);
		assert.throws(() => socket.close(1008, 'dial timed out'), { name: 'InvalidAccessError' }, 'the library must not wait');
		assert.deepEqual(made[0].closes, [[4000, undefined]], 'and it is closed all the same');
		socket.dispatchEvent(Object.assign(new Event('close'), { code: 4401 }));
		assert.equal(own.svedaCloseCodes[7], 4401);

		own.svedaSocketNumber = 8;
		const second = new own.WebSocket('wss://a.test/');
		let heard = 0;
		second.addEventListener('message', () => heard++);
		second.dispatchEvent(new Event('message'));
		alive = false;
		second.dispatchEvent(new Event('message'));
		assert.equal(heard, 1, 'a dead core hears nothing');
		closeAll();
		assert.deepEqual(made[1].closes, [[1000, undefined]]);
	} finally {
		globalThis.WebSocket = before;
	}
});
