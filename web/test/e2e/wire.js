// Holds what goes over the wire against the JSON Schemas of the contract, which
// the Go tests use too.
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';

const folder = new URL('../../../session/sveda/testdata/schema/', import.meta.url);
const ajv = new Ajv2020.default({ strict: false, allErrors: false });
for (const name of ['request', 'event']) ajv.addSchema(JSON.parse(readFileSync(new URL(`${name}.schema.json`, folder), 'utf8')));
const validRequest = ajv.compile({ $ref: 'sveda:request#/$defs/client' });
const validEvent = ajv.compile({ $ref: 'sveda:event' });

/**
 * Records the turns of a page: each request body and each event of each whole
 * response.
 */
export class WireRecord {
	requests = 0;
	events = 0;
	/** @type {string[]} what broke the contract */ problems = [];
	/** @type {Promise<void>[]} */ #reading = [];

	/** @param {import('puppeteer-core').Page} page */
	constructor(page) {
		page.on('request', (request) => {
			if (isTurn(request)) this.#takeRequest(request.postData() ?? '');
		});
		page.on('requestfinished', (request) => {
			if (isTurn(request)) this.#reading.push(this.#takeResponse(request));
		});
	}

	/** Everything that is wrong so far. */
	async check() {
		await Promise.all(this.#reading);
		return this.problems;
	}

	/** @param {string} body */
	#takeRequest(body) {
		this.requests++;
		if (!validRequest(JSON.parse(body))) this.problems.push(`request: ${ajv.errorsText(validRequest.errors)}`);
	}

	/** @param {import('puppeteer-core').HTTPRequest} request */
	async #takeResponse(request) {
		const response = request.response();
		if (response?.status() !== 200) return;
		let body;
		try {
			body = await response.text();
		} catch {
			return; // the page was closed, or left the stream behind
		}
		for (const frame of body.split('\n\n')) {
			if (!frame.startsWith('data: ') || frame === 'data: [DONE]') continue;
			this.events++;
			const event = JSON.parse(frame.slice(6));
			if (!validEvent(event)) this.problems.push(`event ${event.type}: ${ajv.errorsText(validEvent.errors)}`);
		}
	}
}

/** @param {import('puppeteer-core').HTTPRequest} request */
function isTurn(request) {
	return request.method() === 'POST' && new URL(request.url()).pathname === '/sveda/stream';
}
