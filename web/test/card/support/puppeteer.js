/**
 * Chromium and Firefox.
 *
 * @module
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';

/**
 * @param {'chromium' | 'firefox'} engine
 * @param {string} executablePath
 * @returns {Promise<import('./browser.js').Browser>}
 */
export async function launchPuppeteer(engine, executablePath) {
	const profile = mkdtempSync(join(tmpdir(), `card-${engine}-`));
	const chromium = engine === 'chromium';
	const browser = await puppeteer.launch({
		browser: chromium ? 'chrome' : 'firefox',
		executablePath,
		headless: true,
		userDataDir: profile,
		args: chromium ? ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--disable-background-timer-throttling'] : [],
		extraPrefsFirefox: { 'accessibility.tabfocus': 7, 'dom.min_background_timeout_value': 4 },
	});
	/** @type {import('puppeteer-core').Page | null} */
	let open = null;
	return {
		engine,
		async page() {
			open ??= await browser.newPage();
			return facade(open, chromium);
		},
		async close() {
			await browser.close();
			rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
		},
	};
}

/**
 * @param {import('puppeteer-core').Page} page
 * @param {boolean} chromium
 * @returns {import('./browser.js').Page}
 */
function facade(page, chromium) {
	const key = (/** @type {string} */ name) => /** @type {import('puppeteer-core').KeyInput} */ (name === 'Space' ? ' ' : name);
	return {
		raw: page,
		async goto(url) { await page.goto(url, { waitUntil: 'load' }); },
		evaluate: (fn, ...args) => page.evaluate(fn, ...args),
		move: (x, y) => page.mouse.move(x, y),
		down: () => page.mouse.down(),
		up: () => page.mouse.up(),
		async click(x, y, { count = 1 } = {}) { await page.mouse.click(x, y, { count }); },
		press: (name) => page.keyboard.press(key(name)),
		keyDown: (name) => page.keyboard.down(key(name)),
		keyUp: (name) => page.keyboard.up(key(name)),
		type: (text) => page.keyboard.type(text),
		resize: (width, height) => page.setViewport({ width, height, deviceScaleFactor: 1, hasTouch: false }),
		async screenshot(file, { full = false } = {}) {
			await page.screenshot({ path: /** @type {`${string}.png`} */ (file), fullPage: full, captureBeyondViewport: chromium && full });
		},
	};
}
