import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { createHash } from 'node:crypto';
import { integrity, version } from '../../dist/build-info.js';
import { fetchFile, loader } from '../../dist/load.js';
import { SvedaLoadError } from '../../dist/errors.js';

const wasm = await readFile(new URL('../../dist/sveda.wasm', import.meta.url));
const tampered = Buffer.from(wasm);
tampered[tampered.length - 1] ^= 1;

let requests = 0;
const server = createServer((request, response) => {
	requests++;
	const [, how, type = 'application/wasm'] = decodeURIComponent(String(request.url)).split('|');
	if (how === 'missing') return void response.writeHead(404).end('no');
	if (how === 'silent') return;
	if (how === 'broken') return void request.socket.destroy();
	response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' });
	response.end(how === 'html' ? '<!doctype html><title>app</title>' : how === 'tampered' ? tampered : wasm);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
after(() => {
	server.close();
	server.closeAllConnections();
});

/** @param {string} path */
const url = (path) => `http://127.0.0.1:${port}/${encodeURIComponent(`|${path}`)}`;
const fresh = () => loader({ url: new URL('file:///nowhere'), file: 'sveda.wasm', get: fetchFile }, { ready: true });

/** @param {Promise<unknown>} loading @param {string} code @param {RegExp} [words] */
async function refused(loading, code, words = /./) {
	await assert.rejects(loading, (/** @type {any} */ error) => {
		assert.ok(error instanceof SvedaLoadError);
		assert.equal(error.code, code);
		assert.match(error.message, words);
		return true;
	});
}

test('R3 every kind of source loads', async () => {
	const module = await WebAssembly.compile(wasm);
	for (const given of [wasm, new Uint8Array(wasm), module, fetch(url('ok'))]) {
		assert.deepEqual(await fresh()({ wasm: given }), { ready: true });
	}
	assert.deepEqual(await fresh()({ wasmURL: url('ok') }), { ready: true });
});

test('B154 R3 a wrong MIME type, also with parameters, falls back to the bytes', async () => {
	for (const type of ['text/plain', 'application/octet-stream', 'application/wasm; charset=utf-8', 'text/html']) {
		assert.deepEqual(await fresh()({ wasmURL: url(`ok|${type}`) }), { ready: true }, type);
	}
});

test('R3 a second call gets the same promise, a failure is forgotten', async () => {
	const load = fresh();
	await refused(load({ wasmURL: url('missing') }), 'http-status', /404/);
	const first = load({ wasmURL: url('ok') });
	assert.equal(load(), first);
	await first;
});

test('R3 an HTML page with status 200 says how it was served', async () => {
	await refused(fresh()({ wasmURL: url('html|text/html'), integrity: false }), 'compile-failed', /served as text\/html/);
});

test('S54 R14 tampered bytes are refused, and never asked for without the hash', async () => {
	requests = 0;
	await refused(fresh()({ wasmURL: url('tampered') }), 'integrity-mismatch');
	assert.equal(requests, 2, 'the file, and a HEAD request that tells a wrong hash from a dead network');
	await refused(fresh()({ wasm: tampered, integrity: true }), 'integrity-mismatch', /expected sha384-/);
	await refused(fresh()({ wasm: wasm, integrity: 'sha384-nonsense' }), 'integrity-mismatch');
});

test('R3 a network failure and a server that does not answer have codes', async () => {
	await refused(fresh()({ wasmURL: url('broken') }), 'network');
	await refused(fresh()({ wasmURL: url('silent'), timeout: 100 }), 'ready-timeout', /100 ms/);
});

test('R4 2.17 a file of another release is refused, naming both versions', async () => {
	// The version is a string of the data section: another one of the same length.
	const other = version.replace(/\d/g, '9');
	const at = wasm.indexOf(version);
	assert.ok(at > 0);
	const old = Buffer.from(wasm);
	for (let i = at; i >= 0; i = old.indexOf(version, i + 1)) old.write(other, i);
	await refused(fresh()({ wasm: old }), 'version-mismatch', new RegExp(`${version}.*${other}`));
});

test('R5 the build describes its own bytes: a stale artifact fails here', async () => {
	const info = JSON.parse(await readFile(new URL('../../dist/build-info.json', import.meta.url), 'utf8'));
	const file = info.files['sveda.wasm'];
	assert.equal(info.version, version);
	assert.equal(file.bytes, wasm.length);
	assert.equal(file.sha256, createHash('sha256').update(wasm).digest('hex'));
	assert.equal(file.integrity, `sha384-${createHash('sha384').update(wasm).digest('base64')}`);
	assert.equal(integrity['sveda.wasm'], file.integrity);
});
