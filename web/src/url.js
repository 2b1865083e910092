/**
 * Which URLs a token may be sent to (requirement S70).
 *
 * @module
 */

import { SvedaError } from './errors.js';

/** Hosts that never leave the machine. */
const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Checks a URL of an endpoint: https, or http to this machine or to the page's
 * own origin, without a user or password in it.
 *
 * @param {string | URL} url relative ones are of the page's own origin
 * @param {string} name of the endpoint, for the message
 * @returns {string} the URL as it was given
 * @throws {SvedaError} `invalid-endpoint`; the message does not repeat the URL,
 *   which may hold a secret
 */
export function checkEndpoint(url, name) {
	const text = String(url);
	const page = pageURL();
	/** @type {URL} */
	let parsed;
	try {
		// Without a page (Node) a relative URL is the affair of the given fetchFn.
		parsed = new URL(text, page ?? 'https://relative.invalid/');
	} catch {
		throw refused(name, 'it is not a URL');
	}
	if (parsed.username !== '' || parsed.password !== '') throw refused(name, 'a user or password in the URL is not allowed');
	if (parsed.protocol === 'https:') return text;
	if (parsed.protocol !== 'http:') throw refused(name, `expected https, got ${parsed.protocol}`);
	if (loopback.test(parsed.hostname) || parsed.origin === (page && new URL(page).origin)) return text;
	throw refused(name, 'http is allowed to this machine and to the page\'s own origin only; use https');
}

/**
 * @param {string} name
 * @param {string} why
 */
function refused(name, why) {
	return new SvedaError('invalid-endpoint', `endpoint ${JSON.stringify(name)}: ${why}`);
}

function pageURL() {
	const base = globalThis.document?.baseURI;
	return base !== undefined && /^https?:/.test(base) ? base : undefined;
}

/**
 * The WebSocket beside a stream's endpoint.
 *
 * @param {string | URL | undefined} given of the client's options
 * @param {string | URL} stream
 * @returns {string | undefined} an absolute ws or wss URL, when there is one
 */
export function socketURL(given, stream) {
	/** @type {URL} */
	let url;
	try {
		url = new URL(String(given ?? stream), pageURL());
	} catch {
		return undefined; // relative, and no page
	}
	if (given === undefined) {
		if (!/\/stream$/.test(url.pathname)) return undefined;
		url.pathname = url.pathname.replace(/stream$/, 'ws');
	}
	url.protocol = url.protocol.replace('http', 'ws');
	url.hash = '';
	return url.href;
}

/**
 * An id as one segment of a path.
 *
 * @param {string} id
 * @throws {SvedaError} `invalid-id` for an id that a URL would take as a way up
 */
export function pathSegment(id) {
	if (id === '' || id === '.' || id === '..') {
		throw new SvedaError('invalid-id', 'an id in a path must not be empty, "." or ".."');
	}
	return encodeURIComponent(toWellFormed(id));
}

/**
 * encodeURIComponent throws for a lone surrogate.
 *
 * @param {string} text
 */
function toWellFormed(text) {
	return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}
