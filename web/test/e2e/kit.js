// A real playground, a real browser, and what tests ask of both.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { WireRecord } from './wire.js';

const web = fileURLToPath(new URL('../../', import.meta.url));
export const output = join(web, 'test', 'output');

/** @typedef {import('puppeteer-core').Page} Page */

/** Where the system has a Chromium. */
function chromium() {
	const candidates = [process.env.CHROME, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
	const found = candidates.find((path) => path && existsSync(path));
	if (!found) throw new Error('no Chromium: install it or set CHROME to its path');
	return found;
}

/** @returns {Promise<import('puppeteer-core').Browser>} */
export async function launch() {
	await mkdir(output, { recursive: true });
	return puppeteer.launch({
		executablePath: chromium(),
		// The sandbox needs rights that a container's root does not have.
		args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
	});
}

/** The playground's own binary, with a database of its own. */
export class Playground {
	/** @type {import('node:child_process').ChildProcess | undefined} */ #process;
	#dir = '';
	#port = 0;
	/** @type {Record<string, string>} */ #env;

	/** @param {Record<string, string>} [env] */
	constructor(env = {}) {
		this.#env = env;
	}

	get url() {
		return `http://127.0.0.1:${this.#port}`;
	}

	/** Starts it, or starts it again on the same port with the same database. */
	async start() {
		this.#dir ||= await mkdtemp(join(tmpdir(), 'playground-'));
		const child = spawn(join(output, 'playground'), [], {
			env: {
				PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(this.#port), SVEDA_DATA_DIR: this.#dir,
				SVEDA_WEB_DIR: web, SVEDA_LOG: 'error', SVEDA_OFFLINE_DELAY: '1ms', ...this.#env,
			},
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		this.#process = child;
		for await (const chunk of /** @type {AsyncIterable<Buffer>} */ (child.stdout)) {
			const found = /listening on http:\/\/[^:]+:(\d+)/.exec(String(chunk));
			if (found) {
				this.#port = Number(found[1]);
				break;
			}
		}
		if (this.#port === 0) throw new Error('the playground did not start');
		return this;
	}

	/** Ends it as a crash would. */
	async kill() {
		const child = this.#process;
		if (child === undefined || child.exitCode !== null) return;
		child.kill('SIGKILL');
		await once(child, 'exit');
	}

	async close() {
		await this.kill();
		await rm(this.#dir, { recursive: true, force: true });
	}

	/** @param {string} path @param {RequestInit} [init] */
	async #json(path, init) {
		const response = await fetch(this.url + path, init);
		if (!response.ok) throw new Error(`${path}: ${response.status}`);
		return response.json();
	}

	/** The ids in the table of posts. @returns {Promise<number[]>} */
	async posts() {
		return (await this.#json('/debug/posts')).posts.map((/** @type {{id: number}} */ post) => post.id);
	}

	/** The tool calls that reached the MCP host. @returns {Promise<{name: string, arguments: any}[]>} */
	async calls() {
		return (await this.#json('/debug/mcp-calls')).calls ?? [];
	}

	/** The bodies of the turns. @returns {Promise<any[]>} */
	async turns() {
		const { requests } = await this.#json('/debug/requests');
		return (requests ?? [])
			.filter((/** @type {any} */ r) => r.method === 'POST' && r.path === '/sveda/stream')
			.map((/** @type {any} */ r) => JSON.parse(r.body));
	}

	/** What the model was told, for one chat. @param {string} chatId @returns {Promise<any[]>} */
	async conversation(chatId) {
		const { token } = await this.#json('/demo/token');
		const { history } = await this.#json(`/sveda/chat-histories/${encodeURIComponent(chatId)}`, {
			headers: { 'x-sveda-embed-token': token },
		});
		return history.conversationHistory;
	}

	async reset() {
		await this.#json('/debug/reset', { method: 'POST' });
	}
}

/**
 * Opens a page of the playground and waits until its chat is ready. Errors of
 * the page are collected, policy violations among them, and its turns recorded.
 *
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url
 * @returns {Promise<Page & {problems: string[], wire: WireRecord}>}
 */
export async function open(browser, url) {
	const page = /** @type {Page & {problems: string[], wire: WireRecord}} */ (await browser.newPage());
	page.problems = [];
	page.wire = new WireRecord(page);
	page.on('pageerror', (error) => page.problems.push(`error: ${/** @type {Error} */ (error).message}`));
	page.on('console', (message) => {
		// A refused connection is what some tests are about.
		if (message.type() === 'error' && !/net::ERR_|status of \d+/.test(message.text())) page.problems.push(`console: ${message.text()}`);
	});
	await page.evaluateOnNewDocument(() => {
		document.addEventListener('securitypolicyviolation', (event) => {
			console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
		});
	});
	await page.setViewport({ width: 1280, height: 800 });
	await page.goto(url);
	await ready(page);
	return page;
}

/** @param {Page} page */
export async function ready(page) {
	await page.waitForSelector('html[data-ready]', { timeout: 30_000 });
}

/** Writes into the composer and sends. @param {Page} page @param {string} words */
export async function say(page, words) {
	await page.type('#text', words);
	await page.keyboard.press('Enter');
}

/** Waits for the card, with its arguments drawn. @param {Page} page @param {string} [text] in its arguments */
export async function card(page, text = '') {
	await page.waitForFunction(
		(wanted) => {
			const root = document.querySelector('sveda-confirmation')?.shadowRoot;
			const button = root?.querySelector('[data-action="confirm"]');
			return button?.checkVisibility() && root?.textContent?.includes(wanted);
		},
		{ timeout: 30_000 },
		text,
	);
}

/**
 * Decides on the card as a person does: after a moment, with the mouse.
 *
 * @param {Page} page
 * @param {'confirm' | 'deny'} action
 */
export async function decide(page, action) {
	await card(page);
	await new Promise((resolve) => setTimeout(resolve, 800)); // the protection against hasty clicks
	const button = await page.evaluateHandle(
		(name) => /** @type {any} */ (document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector(`[data-action="${name}"]`)),
		action,
	);
	await button.scrollIntoView();
	await button.click();
}

/** Waits until nothing runs and nothing waits. @param {Page} page */
export async function settled(page) {
	await page.waitForFunction(
		() => {
			const { session } = /** @type {any} */ (globalThis).demo;
			return session.status === 'idle' && !session.confirmationPending && session.messages.length > 0;
		},
		{ timeout: 30_000 },
	);
}

/** What the session of the demo says. @param {Page} page */
export function state(page) {
	return page.evaluate(() => {
		const { session } = /** @type {any} */ (globalThis).demo;
		return {
			chatId: session.chatId, status: session.status, pending: session.confirmationPending,
			messages: session.messages, text: session.messages.at(-1)?.parts.map((/** @type {any} */ p) => p.text ?? '').join(''),
			confirmations: session.confirmations.map((/** @type {any} */ c) => ({ id: c.toolCallId, state: c.state, error: c.error?.code })),
		};
	});
}
