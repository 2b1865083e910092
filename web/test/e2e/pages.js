// A server for small pages around the built package, with the headers that a
// test wants.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../', import.meta.url));
const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.json': 'application/json', '.css': 'text/css' };

/** The policy of requirement S52. */
export const strictPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self'; " +
	"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/**
 * @typedef {object} Options
 * @property {string} [policy] of pages; default the strict one
 * @property {string} [wasmType] media type of WebAssembly files
 * @property {(bytes: Buffer) => Buffer} [wasm] changes their bytes
 */

/**
 * Serves the package under /dist/ (and a second copy of it under /copy/), and
 * as /page.js the script that a test gives.
 *
 * @param {Record<string, string>} scripts by path, such as `/page.js`
 * @param {Options} [options]
 */
export async function servePages(scripts, { policy = strictPolicy, wasmType = 'application/wasm', wasm = (b) => b } = {}) {
	const requests = /** @type {string[]} */ ([]);
	const server = createServer(async (request, response) => {
		const path = normalize(new URL(String(request.url), 'http://x').pathname);
		requests.push(path);
		if (path === '/' || path === '/classic') {
			const tag = path === '/' ? '<script type="module" src="/page.js">' : '<script src="/dist/sveda.global.js"></script><script src="/page.js">';
			response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
			return void response.end(`<!doctype html><title>page</title>${tag}</script>`);
		}
		const script = scripts[path];
		if (script !== undefined) {
			response.writeHead(200, { 'content-type': 'text/javascript' });
			return void response.end(script);
		}
		try {
			const file = await readFile(join(web, path.replace(/^\/copy\//, '/dist/')));
			const type = extname(path) === '.wasm' ? wasmType : /** @type {Record<string, string>} */ (types)[extname(path)];
			response.writeHead(200, { 'content-type': type ?? 'application/octet-stream' });
			response.end(extname(path) === '.wasm' ? wasm(file) : file);
		} catch {
			response.writeHead(404).end();
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
