/**
 * A runtime that plays a script, for headless tests of a page's own chat:
 * frames, delays, cuts and status codes in a few lines, without a network.
 *
 * @example
 * const server = scriptedServer();
 * server.reply(text('I will delete it.'), toolCall('c1', 'delete_post', { post_id: 2 }, 'required'));
 * server.reply(toolResult('c1', 'delete_post', { success: true }), text('Done.'));
 *
 * const client = new SvedaClient({ endpoints: server.endpoints, fetchFn: server.fetch });
 * const session = client.createSession();
 * await session.send('delete post 2');
 * await session.resolveToolConfirmation('c1', 'approve');
 * server.requests[1].body.toolDecisions; // [{toolCallId: 'c1', decision: 'approve'}]
 *
 * @module
 */

/**
 * @typedef {object} RecordedRequest
 * @property {string} url
 * @property {string} method
 * @property {Record<string, string>} headers
 * @property {any} body parsed JSON; undefined without a body
 * @property {string} text the body as it was sent
 * @property {boolean} aborted whether the client gave the response up
 * @property {any} init what fetch was called with
 *
 * @typedef {Record<string, any> & {type: string}} WireEvent
 * @typedef {WireEvent | string | Uint8Array | Pause | typeof cut | typeof eof} Step
 *   an event, raw text or bytes of the stream, a pause, or how the stream ends
 */

const encoder = new TextEncoder();

/** The stream fails here, as when the connection breaks. */
export const cut = Symbol('cut');

/** The stream ends here without its end mark. */
export const eof = Symbol('eof');

/** Holds a stream until it is released. */
export class Pause {
	#release = () => {};
	/** @type {Promise<void>} */
	over = new Promise((resolve) => (this.#release = resolve));

	/** Lets the stream go on. */
	release() {
		this.#release();
	}
}

/** @returns {Pause} a step that holds the stream until `release()` */
export function pause() {
	return new Pause();
}

/**
 * @param {number} milliseconds
 * @returns {Pause} a step that holds the stream for this time
 */
export function wait(milliseconds) {
	const step = new Pause();
	setTimeout(() => step.release(), milliseconds);
	return step;
}

/** @param {string} delta @returns {WireEvent} */
export const text = (delta) => ({ type: 'text.delta', delta });

/** @param {string} delta @returns {WireEvent} */
export const reasoning = (delta) => ({ type: 'reasoning.delta', delta });

/** @param {string} messageId @param {string} [chatId] @returns {WireEvent} */
export const messageStart = (messageId, chatId) => ({ type: 'message.start', messageId, chatId });

/** @param {string} [finishReason] @returns {WireEvent} */
export const messageEnd = (finishReason = 'stop') => ({ type: 'message.end', finishReason });

/**
 * @param {string} toolCallId
 * @param {string} toolName
 * @param {unknown} [input]
 * @param {'required'} [confirmation]
 * @param {'backend' | 'frontend'} [target]
 * @returns {WireEvent}
 */
export const toolCall = (toolCallId, toolName, input = {}, confirmation = undefined, target = 'backend') => ({
	type: 'tool.call', toolCallId, toolName, target, input, confirmation,
});

/** @param {string} toolCallId @param {string} toolName @param {unknown} output @returns {WireEvent} */
export const toolResult = (toolCallId, toolName, output) => ({ type: 'tool.result', toolCallId, toolName, output });

/**
 * Makes a runtime whose answers are played in the order in which they were
 * scripted, one a request.
 *
 * @param {object} [options]
 * @param {string} [options.origin]
 * @param {boolean} [options.histories] whether it has stored chats; then the
 *   client may ask for one at any time, and the script has to answer that too
 */
export function scriptedServer({ origin = 'https://runtime.test', histories = false } = {}) {
	/** @type {((request: RecordedRequest, signal: AbortSignal | undefined) => Promise<Response> | Response)[]} */
	const answers = [];
	/** @type {RecordedRequest[]} */
	const requests = [];

	return {
		/** @readonly for the options of SvedaClient */
		endpoints: {
			stream: `${origin}/sveda/stream`,
			...(histories ? { histories: `${origin}/sveda/chat-histories` } : undefined),
		},
		/** @readonly every request so far */
		requests,

		/**
		 * Scripts an event stream. It ends with `message.end` and the end mark,
		 * unless the steps say how it ends.
		 *
		 * @param {...Step} steps
		 */
		reply(...steps) {
			answers.push((request, signal) => {
				return new Response(play(complete(steps), request, signal), {
					headers: { 'content-type': 'text/event-stream', 'x-sveda-protocol-version': '1.0' },
				});
			});
			return this;
		},

		/**
		 * Scripts an answer as it is: a status, headers, a body.
		 *
		 * @param {number} status
		 * @param {unknown} [body] text, or a value for JSON
		 * @param {Record<string, string>} [headers]
		 */
		respond(status, body, headers = {}) {
			answers.push(() => {
				const json = body !== undefined && typeof body !== 'string';
				return new Response(json ? JSON.stringify(body) : /** @type {string | undefined} */ (body) ?? null, {
					status, headers: json ? { 'content-type': 'application/json', ...headers } : headers,
				});
			});
			return this;
		},

		/**
		 * Scripts a request that gets no response.
		 *
		 * @param {Error} [error]
		 */
		fail(error = new TypeError('Failed to fetch')) {
			answers.push(() => Promise.reject(error));
			return this;
		},

		/** Scripts a request that stays without a response until it is aborted. */
		hang() {
			answers.push((request, signal) => {
				return new Promise((_, reject) => {
					signal?.addEventListener('abort', () => {
						request.aborted = true;
						reject(signal.reason);
					});
				});
			});
			return this;
		},

		/** How many scripted answers have not been asked for. */
		get left() {
			return answers.length;
		},

		/**
		 * For the option `fetchFn`.
		 *
		 * @param {string | URL} url
		 * @param {any} [init]
		 * @returns {Promise<Response>}
		 */
		fetch: async (url, init = {}) => {
			const body = init.body ?? '';
			/** @type {RecordedRequest} */
			const request = {
				url: String(url), method: init.method ?? 'GET', headers: { ...init.headers }, text: body,
				body: body === '' ? undefined : JSON.parse(body), aborted: false, init,
			};
			requests.push(request);
			const answer = answers.shift();
			if (answer === undefined) throw new TypeError(`the script has no answer to request ${requests.length}`);
			return answer(request, init.signal);
		},
	};
}

/**
 * @param {Step[]} steps
 * @returns {Step[]}
 */
function complete(steps) {
	const last = steps.at(-1);
	if (last === cut || last === eof) return steps;
	const ended = steps.some((step) => /** @type {any} */ (step)?.type === 'message.end');
	return ended ? [...steps, 'data: [DONE]\n\n'] : [...steps, messageEnd(), 'data: [DONE]\n\n'];
}

/**
 * @param {Step[]} steps
 * @param {RecordedRequest} request
 * @param {AbortSignal | undefined} signal
 * @returns {ReadableStream<Uint8Array>}
 */
function play(steps, request, signal) {
	let at = 0;
	return new ReadableStream({
		start(controller) {
			signal?.addEventListener('abort', () => {
				request.aborted = true;
				try {
					controller.error(signal.reason);
				} catch {
					// it has ended already
				}
			});
		},
		async pull(controller) {
			while (at < steps.length) {
				const step = steps[at++];
				if (step instanceof Pause) {
					await step.over;
					if (signal?.aborted) return;
				} else if (step === cut) {
					controller.error(new TypeError('network error'));
					return;
				} else if (step !== eof) {
					controller.enqueue(bytesOf(/** @type {any} */ (step)));
					return;
				}
			}
			controller.close();
		},
		cancel() {
			request.aborted = true;
		},
	});
}

/** @param {WireEvent | string | Uint8Array} step */
function bytesOf(step) {
	if (step instanceof Uint8Array) return step;
	return encoder.encode(typeof step === 'string' ? step : `data: ${JSON.stringify(step)}\n\n`);
}
