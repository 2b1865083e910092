/**
 * Sveda's stream without a session.
 *
 * @module
 */

import { ask } from './ask.js';
import { SvedaError, errorFrom } from './errors.js';
import { FrameReader, Op } from './frame.js';
import { chunkLimit } from './http.js';
import { core } from './runtime.js';

/**
 * Reads the events of a response, as they came. Frames that are no events are
 * passed over (contract, 1.4); the iteration ends at `[DONE]` or at the end of
 * the body. To leave the loop cancels the body.
 *
 * @param {Response | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>} source
 * @returns {AsyncGenerator<any, void, undefined>} wire events (contract, 1.6)
 * @throws {SvedaError} `not-loaded`, `too-large`, `core-exited`
 */
export async function* iterateSvedaStream(source) {
	const running = core();
	const body = 'body' in source ? source.body : source;
	if (!body) throw new SvedaError('empty-stream', '[sveda] Stream response has no body');
	const [decoder] = ask(running, 'SvedaClient', 'openDecoder', []);
	const chunks = 'getReader' in body ? chunksOf(body) : body;
	try {
		for await (const chunk of chunks) {
			for (let at = 0; at < chunk.length; at += chunkLimit) {
				const { events, done } = decode(running, decoder, 0, chunk.subarray(at, at + chunkLimit));
				yield* events;
				if (done) return;
			}
		}
		yield* decode(running, decoder, 1, new Uint8Array(0)).events;
	} finally {
		if (running.alive) ask(running, 'SvedaClient', 'closeDecoder', [decoder]);
	}
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<Uint8Array, void, undefined>}
 */
async function* chunksOf(body) {
	const reader = body.getReader();
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			yield value;
		}
	} finally {
		await reader.cancel().catch(() => {});
	}
}

const reader = new FrameReader();

/**
 * @param {import('./core.js').Core} running
 * @param {number} decoder
 * @param {number} ended
 * @param {Uint8Array} bytes
 */
function decode(running, decoder, ended, bytes) {
	const frame = reader.open(running.frame(running.enter('decode', decoder, ended, running.write(bytes))));
	/** @type {any[]} */
	const events = [];
	let done = false;
	while (frame.more) {
		const op = frame.op();
		const answer = frame.answer(op);
		if (op === Op.Error) throw errorFrom(answer);
		if (op === Op.Event) events.push(answer);
		else done = answer === 1;
	}
	return { events, done };
}
