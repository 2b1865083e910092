/** make bench, in headless Chromium. CHROME names the program. */

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printGoals, printRows } from './print.js';

// The tools of the tests; the peers come from this folder's own package.json.
const require = createRequire(new URL('../package.json', import.meta.url));
const esbuild = require('esbuild');
const { default: puppeteer } = await import(require.resolve('puppeteer-core')).then((m) => (m.default?.launch ? m : { default: m }));

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** The smallest program of this toolchain, to compare the start with. */
async function bareRuntime() {
	const folder = await mkdtemp(join(tmpdir(), 'bare-'));
	try {
		await writeFile(join(folder, 'main.go'), 'package main\n\nfunc main() { select {} }\n');
		await writeFile(join(folder, 'go.mod'), 'module bare\n\ngo 1.26\n');
		const out = join(folder, 'bare.wasm');
		execFileSync('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', out, '.'], {
			cwd: folder, env: { ...process.env, GOOS: 'js', GOARCH: 'wasm', GOFLAGS: '', GOWORK: 'off' }, stdio: ['ignore', 'ignore', 'inherit'],
		});
		return await readFile(out);
	} finally {
		await rm(folder, { recursive: true });
	}
}

function chromePath() {
	if (process.env.CHROME) return process.env.CHROME;
	for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
		try {
			return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
		} catch { /* the next */ }
	}
	throw new Error('no Chromium: set CHROME');
}

const bundle = await esbuild.build({
	entryPoints: [here('./page.js')], bundle: true, format: 'iife', globalName: 'page', write: false, logLevel: 'error',
	define: { 'import.meta.url': '"http://localhost/page.js"' },
});
/** @type {Record<string, [string, string | Uint8Array]>} */
const files = {
	'/': ['text/html', '<!doctype html><link rel="icon" href="data:,"><title>bench</title><script src="/page.js"></script>'],
	'/page.js': ['text/javascript', bundle.outputFiles[0].text],
	'/sveda.wasm': ['application/wasm', await readFile(here('../dist/sveda.wasm'))],
	'/bare.wasm': ['application/wasm', await bareRuntime()],
};
const server = createServer((request, response) => {
	const [type, body] = files[request.url ?? ''] ?? [];
	response.writeHead(body === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(body);
});
await new Promise((/** @type {(value?: unknown) => void} */ resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
const browser = await puppeteer.launch({
	executablePath: chromePath(), args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'], protocolTimeout: 0,
});
try {
	const page = await browser.newPage();
	page.on('console', (message) => process.stderr.write(`  ${message.text()}\n`));
	await page.goto(`http://127.0.0.1:${port}/`);
	const { results, lines, rest, peak } = await page.evaluate(
		(only) => /** @type {any} */ (globalThis).page.bench(only), process.env.ROW || undefined);
	const where = (await browser.version()).replace('/', ' ');
	printRows(where, results);
	printGoals(where, lines);
	const MiB = (/** @type {number} */ bytes) => (bytes / 2 ** 20).toFixed(0);
	console.log(`\n  JavaScript heap: ${MiB(rest)} MiB at rest, ${MiB(peak)} MiB at most between rows`);
	process.exitCode = lines.every((/** @type {any} */ line) => line.ok) ? 0 : 1;
} finally {
	await browser.close();
	server.close();
}
