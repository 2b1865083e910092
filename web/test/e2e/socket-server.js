// A WebSocket server for tests that need one to misbehave: frames by hand, with
// the protocol's JSON encoding (docs/websocket.md).
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @typedef {object} Peer one socket
 * @property {Record<string, any>[]} frames what the client sent
 * @property {number | undefined} code with which the client closed
 * @property {boolean} gone whether the connection has ended
 * @property {(frame: Record<string, any>) => void} send
 * @property {(text: string) => void} sendText
 * @property {(code: number) => void} close
 * @property {(from: number, events: any[]) => void} turn answers the last request, with numbers from `from`
 */

/**
 * @param {(peer: Peer, frame: Record<string, any>) => void} take is called for each frame of a client
 */
export async function serveSockets(take) {
	/** @type {Peer[]} */
	const peers = [];
	const server = createServer((_, response) => response.writeHead(404).end());
	server.on('upgrade', (request, socket) => {
		const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
		socket.write(
			'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
				`Sec-WebSocket-Accept: ${key.digest('base64')}\r\nSec-WebSocket-Protocol: sveda.v1.json\r\n\r\n`,
		);
		/** @param {number} opcode @param {Buffer} payload */
		const write = (opcode, payload) => {
			const head = Buffer.alloc(10);
			head[0] = 0x80 | opcode;
			let size = 2;
			if (payload.length < 126) head[1] = payload.length;
			else if (payload.length < 65536) {
				head[1] = 126;
				head.writeUInt16BE(payload.length, 2);
				size = 4;
			} else {
				head[1] = 127;
				head.writeBigUInt64BE(BigInt(payload.length), 2);
				size = 10;
			}
			if (!socket.destroyed) socket.write(Buffer.concat([head.subarray(0, size), payload]));
		};
		let closing = false;
		/** @type {Peer} */
		const peer = {
			frames: [], code: undefined, gone: false,
			send: (frame) => write(1, Buffer.from(JSON.stringify(frame))),
			sendText: (text) => write(1, Buffer.from(text)),
			close(code) {
				closing = true;
				const payload = Buffer.alloc(2);
				payload.writeUInt16BE(code);
				write(8, payload);
			},
			turn(from, events) {
				const { id } = peer.frames.findLast(({ type }) => type === 'request') ?? {};
				let seq = from;
				if (from === 1) peer.send({ type: 'head', seq: seq++, id, status: 200 });
				for (const data of events) peer.send({ type: 'event', seq: seq++, id, data });
			},
		};
		peers.push(peer);
		let rest = Buffer.alloc(0);
		socket.on('data', (bytes) => {
			rest = Buffer.concat([rest, bytes]);
			for (;;) {
				const got = unmask(rest);
				if (got === undefined) return;
				rest = rest.subarray(got.size);
				if (got.opcode === 8) {
					peer.code = got.payload.length >= 2 ? got.payload.readUInt16BE(0) : 1005;
					if (!closing) write(8, got.payload.subarray(0, 2));
					socket.end();
				} else if (got.opcode === 1) {
					const frame = JSON.parse(got.payload.toString());
					peer.frames.push(frame);
					take(peer, frame);
				}
			}
		});
		socket.on('error', () => {});
		socket.on('close', () => (peer.gone = true));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	return {
		url: `ws://127.0.0.1:${port}/sveda/ws`,
		peers,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/** @param {Buffer} bytes */
function unmask(bytes) {
	if (bytes.length < 6) return undefined;
	let length = bytes[1] & 127;
	let at = 2;
	if (length === 126) {
		length = bytes.readUInt16BE(2);
		at = 4;
	} else if (length === 127) {
		if (bytes.length < 14) return undefined;
		length = Number(bytes.readBigUInt64BE(2));
		at = 10;
	}
	if (bytes.length < at + 4 + length) return undefined;
	const mask = bytes.subarray(at, at + 4);
	const payload = Buffer.from(bytes.subarray(at + 4, at + 4 + length));
	for (let i = 0; i < payload.length; i++) payload[i] ^= mask[i & 3];
	return { opcode: bytes[0] & 15, payload, size: at + 4 + length };
}
