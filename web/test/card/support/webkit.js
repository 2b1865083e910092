/**
 * WebKitGTK: WebKitWebDriver drives MiniBrowser on a virtual screen.
 *
 * @module
 */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { remote } from './webdriver.js';
import { find } from './find.js';

const keys = {
	Enter: '\uE007', Tab: '\uE004', Escape: '\uE00C', Space: ' ', Shift: '\uE008', Control: '\uE009',
	ArrowDown: '\uE015', ArrowUp: '\uE013', ArrowLeft: '\uE012', ArrowRight: '\uE014', End: '\uE010', Home: '\uE011',
	PageDown: '\uE00F', PageUp: '\uE00E', Backspace: '\uE003', Delete: '\uE017',
};

/** GTK's, and some more. In milliseconds. */
const doubleClickTime = 430;

/** Of the virtual screen. Its pointer rests in the middle, and the window under it has the focus. */
const screenSize = { width: 1600, height: 1400 };

/** @param {string} name */
const keyValue = (name) => keys[/** @type {keyof typeof keys} */ (name)] ?? name;

/** @returns {Promise<import('./browser.js').Browser>} */
export async function launchWebKit() {
	const driverPath = find('WebKitWebDriver');
	const binary = find('MiniBrowser');
	if (!driverPath || !binary) throw new Error('WebKit is not installed');
	/** @type {import('node:child_process').ChildProcess[]} */
	const children = [];
	let display = process.env.DISPLAY;
	if (!display) {
		const screen = await startScreen();
		children.push(screen.child);
		display = screen.display;
	}
	const port = await freePort();
	children.push(spawn(driverPath, [`--port=${port}`, '--host=127.0.0.1'], {
		env: { ...process.env, DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', GDK_BACKEND: 'x11', LIBGL_ALWAYS_SOFTWARE: '1', NO_AT_BRIDGE: '1' },
		stdio: 'ignore',
	}));
	const end = () => { for (const child of children.reverse()) child.kill(); };
	const session = await remote(port, binary).catch((error) => {
		end();
		throw error;
	});
	return {
		engine: 'webkit',
		async page() {
			await session.get('about:blank');
			return facade(session);
		},
		async close() {
			await session.end();
			end();
		},
	};
}

/** @returns {Promise<{child: import('node:child_process').ChildProcess, display: string}>} */
async function startScreen() {
	const path = find('Xvfb');
	if (!path) throw new Error('xvfb is not installed');
	const child = spawn(path, ['-displayfd', '3', '-screen', '0', `${screenSize.width}x${screenSize.height}x24`, '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
	const number = await new Promise((resolve, reject) => {
		/** @type {import('node:stream').Readable} */ (child.stdio[3]).once('data', (data) => resolve(String(data).trim()));
		child.once('exit', () => reject(new Error('Xvfb ended at once')));
	});
	return { child, display: `:${number}` };
}

/** @returns {Promise<number>} */
function freePort() {
	return new Promise((resolve) => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
			server.close(() => resolve(port));
		});
	});
}

/**
 * @param {Awaited<ReturnType<typeof remote>>} session
 * @returns {import('./browser.js').Page}
 */
function facade(session) {
	let at = { x: 0, y: 0 };
	let lastClick = 0;
	const pointer = (/** @type {object[]} */ actions) => session.actions([{
		type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' },
		actions: [{ type: 'pointerMove', duration: 0, x: Math.round(at.x), y: Math.round(at.y) }, ...actions],
	}]);
	const key = (/** @type {object[]} */ actions) => session.actions([{ type: 'key', id: 'keyboard', actions }]);
	return {
		raw: session,
		goto: (url) => session.get(url),
		evaluate: (fn, ...args) => session.evaluate(fn, args),
		async move(x, y) { at = { x, y }; await pointer([]); },
		down: () => pointer([{ type: 'pointerDown', button: 0 }]),
		up: () => pointer([{ type: 'pointerUp', button: 0 }]),
		async click(x, y, { count = 1 } = {}) {
			at = { x, y };
			// Two clicks in a short time are a double click, as the system sees it. The
			// time begins when the earlier one has been made, however long that took.
			const wait = lastClick + doubleClickTime - Date.now();
			if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
			for (let n = 0; n < count; n++) await pointer([{ type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }]);
			lastClick = Date.now();
		},
		press: (name) => key([{ type: 'keyDown', value: keyValue(name) }, { type: 'keyUp', value: keyValue(name) }]),
		keyDown: (name) => key([{ type: 'keyDown', value: keyValue(name) }]),
		keyUp: (name) => key([{ type: 'keyUp', value: keyValue(name) }]),
		type: (text) => key([...text].flatMap((char) => [{ type: 'keyDown', value: char }, { type: 'keyUp', value: char }])),
		resize: (width, height) => session.resize(width, height, screenSize),
		async screenshot(file) { writeFileSync(file, Buffer.from(await session.screenshot(), 'base64')); },
	};
}
