/**
 * A static server over web/ for the card's tests, with the strictest policy
 * that the card promises to work under (S51, S52) on every page.
 *
 * @module
 */

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const web = fileURLToPath(new URL('../../../', import.meta.url));

export const policy = [
	"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self'", "style-src 'self'",
	"base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
].join('; ');

const types = {
	'.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
	'.json': 'application/json', '.wasm': 'application/wasm',
};

/** Folders that a test may see. */
const served = /^\/(src|demo|dist|test\/card\/pages)\//;

/**
 * @param {{frameSrc?: string}} [options] an origin that pages may frame
 * @returns {Promise<{origin: string, requests: string[], close: () => Promise<void>}>}
 */
export async function startServer({ frameSrc } = {}) {
	/** @type {string[]} */
	const requests = [];
	const server = createServer((request, response) => {
		const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
		requests.push(path);
		// A build copies these modules as they are; here they need none.
		const file = join(web, path.endsWith('.js') ? path.replace(/^\/dist\//, '/src/') : path);
		if (!served.test(path) || !existsSync(file) || !statSync(file).isFile()) {
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, {
			'content-type': types[/** @type {keyof typeof types} */ (extname(file))] ?? 'application/octet-stream',
			'content-security-policy': frameSrc ? `${policy}; frame-src ${frameSrc}` : policy,
			'cache-control': 'max-age=600',
		});
		createReadStream(file).pipe(response);
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	return {
		origin: `http://127.0.0.1:${port}`,
		requests,
		close: () => new Promise((resolve) => {
			server.closeAllConnections();
			server.close(() => resolve());
		}),
	};
}
