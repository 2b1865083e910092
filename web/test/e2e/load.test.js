// The loader in a browser: {right MIME, wrong MIME} x {policy} x {modules,
// classic script, two copies}.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch } from './kit.js';
import { servePages, strictPolicy } from './pages.js';

/** @type {import('puppeteer-core').Browser} */
let browser;
before(async () => {
	browser = await launch();
});
after(() => browser?.close());

/** Reports what a module does as `globalThis.result`. @param {string} code */
const report = (code) => `
	try { globalThis.result = { value: await (async () => { ${code} })() }; }
	catch (error) { globalThis.result = { code: error.code, name: error.name, message: error.message }; }`;

const loads = report(`
	const before = Object.getOwnPropertyNames(globalThis);
	const { load } = await import('/dist/index.js');
	const start = performance.now();
	const { SvedaClient, SvedaChatSession } = await load();
	const ready = performance.now() - start;
	const session = new SvedaChatSession('c');
	const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.includes(name) && !name.includes('ariaQuerySelector')); // puppeteer's own
	return { added, isSession: session instanceof SvedaChatSession, status: session.status, ready };`);

/**
 * @param {Record<string, string>} scripts
 * @param {Parameters<typeof servePages>[1] & {path?: string}} [options]
 */
async function run(scripts, { path = '/', ...options } = {}) {
	const server = await servePages(scripts, options);
	const page = await browser.newPage();
	try {
		await page.goto(server.url + path);
		await page.waitForFunction(() => /** @type {any} */ (globalThis).result !== undefined, { timeout: 15_000 });
		return { result: await page.evaluate(() => /** @type {any} */ (globalThis).result), requests: server.requests };
	} finally {
		await page.close();
		server.close();
	}
}

test('R12 S52 loads under the strict policy, and adds nothing to the page (2.25)', async () => {
	const { result } = await run({ '/page.js': loads });
	assert.deepEqual(result.value?.added, [], result.message);
	assert.equal(result.value.isSession, true);
	assert.equal(result.value.status, 'idle');
});

for (const type of ['text/plain', 'application/wasm; charset=utf-8', 'application/octet-stream']) {
	test(`B154 R3 loads when the file is served as ${type}`, async () => {
		const { result } = await run({ '/page.js': loads }, { wasmType: type });
		assert.equal(result.value?.isSession, true, result.message);
	});
}

test('S53 B154 a policy without wasm-unsafe-eval is a typed error within a second', async () => {
	const start = performance.now();
	const { result } = await run({ '/page.js': loads }, { policy: strictPolicy.replace(" 'wasm-unsafe-eval'", '') });
	assert.equal(result.code, 'csp-blocked');
	assert.match(result.message, /wasm-unsafe-eval/);
	assert.ok(performance.now() - start < 5000);
});

test('S54 R14 one flipped bit is a typed error', async () => {
	const { result } = await run({ '/page.js': loads }, {
		wasm: (bytes) => {
			const copy = Buffer.from(bytes);
			copy[1000] ^= 1;
			return copy;
		},
	});
	assert.equal(result.code, 'integrity-mismatch');
});

test('R3 a missing file is a typed error, and a second try works', async () => {
	const { result, requests } = await run({
		'/page.js': report(`
			const { load } = await import('/dist/index.js');
			const first = await load({ wasmURL: '/dist/nowhere.wasm' }).catch((error) => error.code);
			const { SvedaClient } = await load();
			return [first, typeof SvedaClient];`),
	});
	assert.deepEqual(result.value, ['http-status', 'function']);
	assert.equal(requests.filter((path) => path.endsWith('.wasm')).length, 3);
});

test('svedawasm/auto gives the classes at once', async () => {
	const { result } = await run({
		'/page.js': report(`
			const { SvedaToolRegistry } = await import('/dist/auto.js');
			const tools = new SvedaToolRegistry([{ name: 'a', confirmation: 'required', handler() {} }]);
			return tools.list();`),
	});
	assert.deepEqual(result.value, [{ name: 'a', description: '', parameters: { type: 'object', properties: {} }, confirmation: 'required' }]);
});

test('a page without modules gets the classes on globalThis', async () => {
	const { result } = await run({
		'/page.js': `svedaReady.then((api) => {
			const session = new SvedaChatSession('c');
			globalThis.result = { value: [typeof SvedaClient, typeof SvedaToolRegistry, session.chatId, api.SvedaClient === SvedaClient] };
		}, (error) => { globalThis.result = { message: error.message }; });`,
	}, { path: '/classic' });
	assert.deepEqual(result.value, ['function', 'function', 'c', true], result.message);
});

test('R6 two copies on one page do not collide, and know each other\'s errors', async () => {
	const { result } = await run({
		'/page.js': report(`
			const [one, two] = await Promise.all(['/dist/auto.js', '/copy/auto.js'].map((path) => import(path)));
			const stream = (...events) => new Response(events.map((e) => 'data: ' + JSON.stringify(e) + '\\n\\n').join('') + 'data: [DONE]\\n\\n', { headers: { 'content-type': 'text/event-stream' } });
			const call = { type: 'tool.call', toolCallId: 'c1', toolName: 't', target: 'backend', input: {}, confirmation: 'required' };
			const make = ({ SvedaChatSession }) => new SvedaChatSession('c', { fetchFn: async () => stream(call, { type: 'message.end', finishReason: 'tool_calls' }) });
			const [a, b] = [make(one), make(two)];
			await a.send('x');
			const error = await a.send('y').catch((e) => e);
			return { different: one.SvedaClient !== two.SvedaClient, a: a.confirmationPending, b: b.confirmationPending,
				known: two.isChannelAwaitingConsentError(error), instance: error instanceof two.SvedaError };`),
	});
	assert.deepEqual(result.value, { different: true, a: true, b: false, known: true, instance: false }, result.message);
});

test('R20 an instance that dies is replaced, without an error on window', async () => {
	const { result } = await run({
		'/page.js': report(`
			const errors = [];
			addEventListener('error', (event) => errors.push(event.message));
			addEventListener('unhandledrejection', (event) => errors.push(String(event.reason)));
			const { load } = await import('/dist/index.js');
			const { SvedaChatSession } = await load({ wasmURL: '/test/output/probe.wasm', integrity: false });
			const { core, restarted } = await import('/dist/runtime.js');
			const dead = core();
			let hung;
			const session = new SvedaChatSession('c', { fetchFn: () => new Promise(() => { hung = true; }) });
			const sent = session.send('x').catch((error) => error.code);
			let code;
			try { dead.enter('probeDeep', 10000000); } catch (error) { code = error.code; }
			const start = performance.now();
			await restarted();
			const took = performance.now() - start;
			const next = new SvedaChatSession('d', { fetchFn: async () => new Response('data: {"type":"text.delta","delta":"ok"}\\n\\ndata: {"type":"message.end"}\\n\\ndata: [DONE]\\n\\n', { headers: { 'content-type': 'text/event-stream' } }) });
			await next.send('y');
			await new Promise((resolve) => setTimeout(resolve, 50));
			return { code, sent: await sent, text: next.messages[1].parts[0].text, errors, hung, took };`),
	});
	const { took, ...rest } = result.value ?? result;
	assert.deepEqual(rest, { code: 'core-exited', sent: 'core-exited', text: 'ok', errors: [], hung: true });
	assert.ok(took < 2000);
});
