// The examples of the README run.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import * as auto from '../../dist/auto.node.js';
import * as testing from '../../dist/testing/index.js';

const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
const AsyncFunction = /** @type {any} */ (async () => {}).constructor;

/** The code under a mark. @param {string} name */
export function example(name) {
	const found = new RegExp(`<!-- run: ${name} -->\n\`\`\`\\w+\n([^]*?)\`\`\``).exec(readme);
	assert.ok(found, `the README has an example "${name}"`);
	return found[1];
}

/** Runs an example in a function with these names. @param {string} name @param {Record<string, unknown>} scope */
function run(name, scope) {
	const code = example(name).replace(/^import \{(.*)\} from '(.*)';$/gm, (_, names, from) => `const {${names}} = modules['${from}'];`);
	return new AsyncFunction(...Object.keys(scope), code)(...Object.values(scope));
}

test('README: the headless test of a page', async () => {
	const lines = /** @type {unknown[]} */ ([]);
	await run('headless', { modules: { 'svedawasm/auto': auto, 'svedawasm/testing': testing }, console: { log: (/** @type {unknown} */ x) => lines.push(x) } });
	assert.deepEqual(lines, [[{ toolCallId: 'c1', decision: 'approve' }]]);
});

test('README: buttons of one\'s own, and a tool of the page', async () => {
	const { scriptedServer, text, toolCall, toolResult } = testing;
	const server = scriptedServer();
	server.reply(toolCall('c1', 'delete_post', { post_id: 2 }, 'required')).reply(toolResult('c1', 'delete_post', {}), text('ok'));
	server.reply(toolCall('c2', 'archive_selection', {}, undefined, 'frontend')).reply(text('archived'));
	const client = new auto.SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch });
	await run('tool', { client });
	const session = client.createSession();
	const asked = /** @type {string[]} */ ([]);
	const ask = async (/** @type {string} */ question) => asked.push(question) > 0;
	await session.send('x');
	await run('custom', { session, ask });
	await session.send('y');
	await run('custom', { session, ask });
	assert.deepEqual(asked, ['May delete_post run with {"post_id":2}?', 'May archive_selection run with {}?']);
	assert.equal(server.requests.length, 4);
	assert.deepEqual(server.requests[3].body.messages.at(-1).parts.at(-1).output, { archived: 3 });
});
