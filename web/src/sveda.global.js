// For a page without modules: <script src="…/sveda.global.js"></script>, then
// `await svedaReady`. The classes are on globalThis from then on.
{
	const script = /** @type {HTMLScriptElement} */ (document.currentScript);
	const page = /** @type {Record<string, any>} */ (globalThis);
	page.svedaReady = import(new URL('./index.js', script.src).href).then(async (sveda) => {
		const api = await sveda.load();
		return Object.assign(page, api), api;
	});
}
