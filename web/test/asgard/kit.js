// What the tests of the channel protocol ask of the demo, beside the common kit.
import { open, ready } from '../e2e/kit.js';

/** @typedef {import('puppeteer-core').Page} Page */

/** Opens the demo with the consent modal. @param {import('puppeteer-core').Browser} browser @param {string} url */
export function openModal(browser, url) {
	return open(browser, `${url}/?protocol=asgard`);
}

/** Waits for the modal, asking about a call with this text. @param {Page} page @param {string} [text] */
export async function asked(page, text = '') {
	await page.waitForFunction(
		(wanted) => {
			const dialog = document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector('dialog');
			return dialog?.open && dialog.querySelector('[data-action="deny"]')?.checkVisibility() && dialog.textContent?.includes(wanted);
		},
		{ timeout: 30_000 },
		text,
	);
}

/** Waits until no modal is open. @param {Page} page */
export async function gone(page) {
	await page.waitForFunction(() => !document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector('dialog')?.open, { timeout: 30_000 });
}

/**
 * Presses a button of the modal with the mouse, as soon as it takes a press.
 *
 * @param {Page} page
 * @param {'confirm' | 'allowChat' | 'allowChatSure' | 'deny' | 'sendDeny' | 'back' | 'later'} action
 */
export async function press(page, action) {
	const selector = `[data-action="${action}"]`;
	await page.waitForFunction(
		(wanted) => {
			const button = document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector(wanted);
			return button?.checkVisibility() && button.getAttribute('aria-disabled') !== 'true';
		},
		{ timeout: 30_000 },
		selector,
	);
	await new Promise((resolve) => setTimeout(resolve, 150)); // what moves comes to rest
	const button = await page.evaluateHandle(
		(wanted) => /** @type {any} */ (document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector(wanted)),
		selector,
	);
	await button.scrollIntoView();
	await button.click();
}

/** Denies in two steps. @param {Page} page @param {string} reason */
export async function deny(page, reason) {
	await press(page, 'deny');
	await page.keyboard.type(reason); // the focus is in the reason box
	await press(page, 'sendDeny');
}

/** Text of a part of the modal. @param {Page} page @param {string} selector */
export function shown(page, selector) {
	return page.evaluate(
		(wanted) => /** @type {HTMLElement | undefined} */ (
			[...(document.querySelector('sveda-confirmation')?.shadowRoot?.querySelectorAll(`dialog ${wanted}`) ?? [])].find((node) => node.checkVisibility())
		)?.innerText ?? '',
		selector,
	);
}

/** Computed styles of a part of the modal. @param {Page} page @param {string} selector @param {...string} names */
export function computed(page, selector, ...names) {
	return page.evaluate(
		(wanted, properties) => {
			const node = document.querySelector('sveda-confirmation')?.shadowRoot?.querySelector(`dialog ${wanted}`);
			const style = getComputedStyle(/** @type {Element} */ (node));
			return properties.map((name) => style.getPropertyValue(name));
		},
		selector,
		names,
	);
}

/** Reloads the page and waits until it is ready. @param {Page} page */
export async function reload(page) {
	await page.reload();
	await ready(page);
}

/**
 * The bodies of the turns that the server got.
 *
 * @param {string} url
 * @returns {Promise<any[]>}
 */
export async function turns(url) {
	const { requests } = await (await fetch(`${url}/debug/requests`)).json();
	return requests
		.filter((/** @type {any} */ r) => r.method === 'POST' && r.path.endsWith('/message/sse'))
		.map((/** @type {any} */ r) => JSON.parse(r.body));
}
