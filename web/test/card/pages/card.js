/**
 * The page of the card's tests: a session to script, a clock to turn, and
 * counts of what must not happen.
 *
 * @module
 */

import * as api from '../../../src/card/index.js';
import { browserPorts } from '../../../src/card/ports.js';

const fixtures = await (await fetch('/demo/fixtures/arguments.json')).json();

/** What the page must never see. */
const seen = { violations: /** @type {string[]} */ ([]), errors: /** @type {string[]} */ ([]), warnings: /** @type {string[]} */ ([]), focused: /** @type {string[]} */ ([]) };
document.addEventListener('securitypolicyviolation', (event) => {
	if (event.blockedURI.endsWith('/favicon.ico')) return; // asked for by the browser, not by a page
	seen.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
addEventListener('error', (event) => seen.errors.push(String(event.message)));
addEventListener('unhandledrejection', (event) => seen.errors.push(String(event.reason)));
const { warn } = console;
console.warn = (...args) => { seen.warnings.push(args.map(String).join(' ')); warn.apply(console, args); };
const { focus } = HTMLElement.prototype;
HTMLElement.prototype.focus = function spied(...args) {
	seen.focused.push(this.dataset?.action ?? this.className ?? this.tagName);
	return focus.apply(this, args);
};

/** A clock that stands until it is turned; timers run as they do. */
let time = 1000;
const turned = { ...browserPorts, now: () => time, timeOf: () => time };
class ClockedConfirmation extends api.SvedaConfirmation {
	static ports = turned;
}
customElements.define('clocked-confirmation', ClockedConfirmation);

/**
 * @param {string} id
 * @param {object} [more]
 */
function call(id, more = {}) {
	const fixture = fixtures.find((/** @type {any} */ f) => f.id === id);
	return {
		toolCallId: `call_${id}`, target: 'backend', state: 'pending', toolName: fixture.toolName,
		toolNameTokens: fixture.toolNameTokens, arguments: fixture.arguments, ...more,
	};
}

/** A session as the card sees one. */
class Session {
	constructor(confirmations = [], chatId = 'chat_1') {
		this.chatId = chatId;
		this.confirmations = confirmations;
		this.grants = [];
		this.decisions = [];
		this.stops = 0;
		this.answer = 'accept'; // or 'hold', 'reject', 'lose', 'throw'
		this.all = new Map();
		this.listeners = new Set();
	}

	get confirmationPending() {
		return this.confirmations.some((c) => c.state === 'pending' || c.state === 'deciding');
	}

	subscribe(listener) {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	notify() {
		for (const listener of [...this.listeners]) listener();
	}

	set(id, change) {
		this.confirmations = this.confirmations.map((c) => (c.toolCallId === id ? { ...c, ...change } : c));
		this.notify();
	}

	add(confirmation) {
		this.confirmations = [...this.confirmations, confirmation];
		this.notify();
	}

	argumentsOf(id) {
		return this.all.get(id) ?? this.confirmations.find((c) => c.toolCallId === id).arguments;
	}

	resolveToolConfirmation(id, decision, options) {
		this.decisions.push({ id, decision, ...options });
		if (this.answer === 'throw') throw new Error('not now');
		this.set(id, { state: 'deciding', decision });
		if (this.answer === 'hold') return new Promise(() => {});
		return new Promise((resolve, reject) => setTimeout(() => {
			if (this.answer === 'reject' || this.answer === 'lose') {
				this.set(id, { state: 'pending', error: { code: 'network' }, uncertain: this.answer === 'lose' || undefined });
				reject(Object.assign(new Error('offline'), { code: 'network' }));
				return;
			}
			this.set(id, { state: decision === 'approve' ? 'approved' : 'denied' });
			resolve({ outcome: 'sent', decision });
		}, 10));
	}

	revokeGrant(grant) {
		this.grants = this.grants.filter((g) => g !== grant);
		this.notify();
	}

	stop() {
		this.stops++;
	}
}

/** @type {any} */
let card = null;

const kit = {
	api, fixtures, seen, call, Session,
	/** @type {Session | null} */
	session: null,
	get card() { return card; },
	get root() { return card.shadowRoot; },
	/**
	 * @param {any[]} confirmations
	 * @param {Record<string, string>} [attributes]
	 * @param {{clock?: boolean, parent?: Element}} [options]
	 */
	mount(confirmations, attributes = {}, { clock = true, parent } = {}) {
		card?.remove();
		const session = new Session(confirmations);
		card = document.createElement(clock ? 'clocked-confirmation' : 'sveda-confirmation');
		for (const [name, value] of Object.entries(attributes)) card.setAttribute(name, value);
		(parent ?? document.getElementById('place')).append(card);
		card.session = session;
		kit.session = session;
		return session;
	},
	now: () => time,
	/** @param {number} ms */
	turn(ms) { time += ms; },
	/** @param {string} action */
	button: (action) => kit.root.querySelector(`[data-action="${action}"]`),
	/** Centre of a control, in the window's coordinates. @param {string} selector */
	at(selector) {
		const node = selector.startsWith('#') ? document.querySelector(selector) : kit.root.querySelector(selector);
		node.scrollIntoView({ block: 'nearest' });
		const { x, y, width, height } = node.getBoundingClientRect();
		return { x: x + width / 2, y: y + height / 2, width, height };
	},
	active() {
		let active = document.activeElement;
		while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
		return active ? active.dataset?.action || active.id || String(active.className) || active.tagName : 'none';
	},
	text: () => kit.root.querySelector('.card')?.innerText ?? '',
	wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
	/** @param {() => any} test */
	async until(test, ms = 4000) {
		const end = performance.now() + ms;
		for (;;) {
			const value = await test();
			if (value) return value;
			if (performance.now() > end) throw new Error(`never: ${test}`);
			await kit.wait(20);
		}
	},
	/** Until the card is in view, and its time over. */
	async armed() {
		await kit.until(() => {
			kit.turn(600);
			return kit.root.querySelector('.confirm')?.getAttribute('aria-disabled') === null;
		});
	},
	/** Until the card is in view; its delay has just begun. */
	async visible() {
		await kit.until(() => kit.root.querySelector('.card')).catch(() => {});
		for (let i = 0; i < 12 && kit.root.querySelector('.confirm')?.getAttribute('aria-disabled') !== null; i++) {
			kit.turn(600);
			await kit.wait(20);
		}
		dispatchEvent(new Event('focus'));
	},
	/**
	 * Rows of a plain value, for sizes that are not kept in the fixtures.
	 *
	 * @param {any} value
	 */
	describe(value) {
		const rows = [];
		const walk = (at, depth, key, index) => {
			const container = at !== null && typeof at === 'object';
			const kind = at === null ? 'null' : Array.isArray(at) ? 'array' : typeof at;
			rows.push({
				path: '', depth, key: key === null ? null : [{ t: 'text', s: key }], index, kind, size: container ? Object.keys(at).length : 0,
				tokens: container ? [] : [{ t: 'text', s: String(at) }], hidden: 0, warnings: [],
			});
			if (container) for (const [k, v] of Object.entries(at)) walk(v, depth + 1, Array.isArray(at) ? null : k, Array.isArray(at) ? Number(k) : null);
		};
		for (const [k, v] of Object.entries(value)) walk(v, 0, k, null);
		return { raw: JSON.stringify(value), digest: 'd'.repeat(64), rows, warnings: [], hidden: { rows: 0, characters: 0 }, blocked: null };
	},
	async frames(n) {
		for (let i = 0; i < n; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
	},
};

Object.assign(window, { kit });
document.documentElement.dataset.ready = 'true';

// Framed: shows a card by itself and tells the framing page how it stands.
const query = new URLSearchParams(location.search);
if (query.has('framed')) {
	const session = kit.mount([call('delete-post')], { 'allowed-ancestors': query.get('allow') ?? '' }, { clock: query.has('clock') });
	setInterval(() => {
		const confirm = kit.root.querySelector('.confirm');
		const { x, y } = confirm ? kit.at('.confirm') : { x: 0, y: 0 };
		parent.postMessage({
			disabled: confirm?.getAttribute('aria-disabled') ?? 'none', status: kit.root.querySelector('.status')?.textContent ?? '',
			decisions: session.decisions.length, x, y, violations: seen.violations,
		}, '*');
	}, 50);
}
