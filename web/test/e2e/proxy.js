// A TCP proxy that tests break: it passes bytes on until it is told otherwise.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class Proxy {
	/** @type {Set<{page: import('node:net').Socket, server: import('node:net').Socket, head: string}>} */ #pairs = new Set();
	#server = createServer({ allowHalfOpen: true }, (page) => this.#pass(page));
	#target = 0;
	#port = 0;
	/** What begins a connection: the first line and the headers of its first request. @type {string[]} */
	heads = [];
	/** Refuses a connection whose first bytes match. @type {RegExp | undefined} */
	refuse;
	/** Swallows everything from now on, with the connections open. */
	stalled = false;

	/** @param {string} url of the server behind it */
	constructor(url) {
		this.#target = Number(new URL(url).port);
	}

	get url() {
		return `http://127.0.0.1:${this.#port}`;
	}

	async start() {
		this.#server.listen(0, '127.0.0.1');
		await once(this.#server, 'listening');
		this.#port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port;
		return this;
	}

	/** How many connections are open. @param {RegExp} [which] by what they began with */
	open(which = /^/) {
		return [...this.#pairs].filter(({ head }) => which.test(head)).length;
	}

	/** Resets connections. @param {RegExp} [which] */
	cut(which = /^/) {
		for (const pair of this.#pairs) {
			if (!which.test(pair.head)) continue;
			pair.page.resetAndDestroy();
			pair.server.resetAndDestroy();
		}
	}

	close() {
		this.cut();
		this.#server.close();
	}

	/** @param {import('node:net').Socket} page */
	#pass(page) {
		const server = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true });
		const pair = { page, server, head: '' };
		this.#pairs.add(pair);
		page.on('data', (bytes) => {
			if (pair.head === '') {
				pair.head = bytes.toString('latin1');
				this.heads.push(pair.head);
				if (this.refuse?.test(pair.head)) {
					page.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
					server.destroy();
					return;
				}
			}
			if (!this.stalled) server.write(bytes);
		});
		server.on('data', (bytes) => {
			if (!this.stalled) page.write(bytes);
		});
		page.on('end', () => server.end());
		server.on('end', () => page.end());
		for (const [socket, other] of [[page, server], [server, page]]) {
			socket.on('error', () => other.destroy());
			socket.on('close', () => {
				this.#pairs.delete(pair);
				other.destroy();
			});
		}
	}
}
