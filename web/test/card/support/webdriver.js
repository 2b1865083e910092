/**
 * The WebDriver session that WebKit's tests use, by the npm client.
 *
 * @module
 */


process.env.WDIO_LOG_LEVEL ??= 'silent';
const { default: WebDriver } = await import('webdriver');

/**
 * @param {number} port
 * @param {string} binary
 */
export async function remote(port, binary) {
	const client = await connect(port, binary);
	await client.setTimeouts(10_000, 30_000, 60_000);
	return {
		/** @param {string} url */
		async get(url) { await client.navigateTo(url); },
		/**
		 * @param {(...args: any[]) => any} fn
		 * @param {any[]} args
		 */
		async evaluate(fn, args) {
			const answer = await client.executeAsyncScript(
				`const done = arguments[arguments.length - 1];
				 Promise.resolve().then(() => (${fn}).apply(null, arguments[0])).then(
					(value) => done({ value: value === undefined ? null : value }),
					(error) => done({ error: String(error && error.stack || error) }));`,
				[args],
			);
			if (answer.error) throw new Error(answer.error);
			return answer.value;
		},
		/** @param {object[]} actions */
		async actions(actions) { await client.performActions(actions); },
		/**
		 * @param {number} width of the page, not of the window
		 * @param {number} height
		 * @param {{width: number, height: number}} screen the window covers the middle of it
		 */
		async resize(width, height, screen) {
			const inner = await client.executeScript('return [outerWidth - innerWidth, outerHeight - innerHeight]', []);
			const [w, h] = [width + inner[0], height + inner[1]];
			await client.setWindowRect(Math.max(0, Math.round((screen.width - w) / 2)), Math.max(0, Math.round((screen.height - h) / 2)), w, h);
		},
		screenshot: () => client.takeScreenshot(),
		async end() { await client.deleteSession(); },
	};
}

/**
 * @param {number} port
 * @param {string} binary
 */
async function connect(port, binary) {
	for (let tries = 0; ; tries++) {
		try {
			return await WebDriver.newSession({
				hostname: '127.0.0.1', port, path: '/', logLevel: 'silent', connectionRetryCount: 0,
				capabilities: { alwaysMatch: /** @type {any} */ ({ 'wdio:enforceWebDriverClassic': true, 'webkitgtk:browserOptions': { binary, args: ['--automation'] } }) },
			});
		} catch (error) {
			if (tries > 40) throw error;
			await new Promise((resolve) => setTimeout(resolve, 250));
		}
	}
}
