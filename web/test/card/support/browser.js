/**
 * One face over the three engines, so that a test is written once: Chromium
 * and Firefox by puppeteer-core, WebKit by WebDriver.
 *
 * @module
 */

import { find } from './find.js';
import { launchPuppeteer } from './puppeteer.js';
import { launchWebKit } from './webkit.js';

/** @typedef {'chromium' | 'firefox' | 'webkit'} Engine */

/**
 * @typedef {object} Page
 * @property {(url: string) => Promise<void>} goto
 * @property {(fn: (...args: any[]) => any, ...args: any[]) => Promise<any>} evaluate
 * @property {(x: number, y: number) => Promise<void>} move
 * @property {() => Promise<void>} down
 * @property {() => Promise<void>} up
 * @property {(x: number, y: number, options?: {count?: number}) => Promise<void>} click
 * @property {(key: string) => Promise<void>} press
 * @property {(key: string) => Promise<void>} keyDown a second one without keyUp is a repeat
 * @property {(key: string) => Promise<void>} keyUp
 * @property {(text: string) => Promise<void>} type
 * @property {(width: number, height: number) => Promise<void>} resize
 * @property {(file: string, options?: {full?: boolean}) => Promise<void>} screenshot
 * @property {any} [raw] the engine's own page, where a test needs more than all engines have
 */

/**
 * @typedef {object} Browser
 * @property {Engine} engine
 * @property {() => Promise<Page>} page the one page; opening another address makes it fresh
 * @property {() => Promise<void>} close
 */

/**
 * @param {Engine} engine
 * @returns {Promise<Browser>}
 */
export async function launch(engine) {
	if (engine === 'webkit') return launchWebKit();
	const path = engine === 'chromium' ? find('chromium', 'chromium-browser', 'google-chrome') : find('firefox', 'firefox-esr');
	if (!path) throw new Error(`${engine} is not installed`);
	return launchPuppeteer(engine, path);
}

/**
 * Why an engine cannot run here, or null.
 *
 * @param {Engine} engine
 */
export function missing(engine) {
	if (engine === 'chromium') return find('chromium', 'chromium-browser', 'google-chrome') ? null : 'chromium is not installed';
	if (engine === 'firefox') return find('firefox', 'firefox-esr') ? null : 'firefox is not installed';
	if (!find('WebKitWebDriver')) return 'webkit2gtk-driver is not installed';
	if (!find('MiniBrowser')) return 'MiniBrowser is not installed';
	return find('Xvfb') || process.env.DISPLAY ? null : 'xvfb is not installed';
}
