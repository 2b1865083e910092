/** The peers, each driven through its own public API. */

import { getBytes, getLines, getMessages } from '@microsoft/fetch-event-source/lib/esm/parse.js';
import { ChatClient, fetchServerSentEvents } from '@tanstack/ai-client';
import { AbstractChat, DefaultChatTransport } from 'ai';
import { createParser } from 'eventsource-parser';

import { response } from '../workload.js';
import { textLength } from './ours.js';

/** Frames and JSON only: no chat, no messages. */
export const eventsourceParser = {
	name: 'eventsource-parser + JSON.parse',
	wire: /** @type {const} */ ('sveda'),
	open: () => ({
		/** @param {readonly Uint8Array[]} chunks */
		async run(chunks) {
			let length = 0;
			const parser = createParser({ onEvent: (event) => (length += take(event.data)) });
			const reader = /** @type {ReadableStream<Uint8Array>} */ (response(chunks).body).getReader();
			const decoder = new TextDecoder();
			for (;;) {
				const { done, value } = await reader.read();
				if (done) return length;
				parser.feed(decoder.decode(value, { stream: true }));
			}
		},
		close() {},
	}),
};

/** Frames and JSON only, by the parser that fetchEventSource itself is made of. */
export const fetchEventSource = {
	name: 'fetch-event-source + JSON.parse',
	wire: /** @type {const} */ ('sveda'),
	open: () => ({
		/** @param {readonly Uint8Array[]} chunks */
		async run(chunks) {
			let length = 0;
			const onChunk = getLines(getMessages(() => {}, () => {}, (message) => (length += take(message.data))));
			await getBytes(/** @type {ReadableStream<Uint8Array>} */ (response(chunks).body), onChunk);
			return length;
		},
		close() {},
	}),
};

/** @param {string} data */
function take(data) {
	if (!data || data === '[DONE]') return 0;
	const event = JSON.parse(data);
	return event.type === 'text.delta' ? event.delta.length : 0;
}

class State {
	status = 'ready';
	/** @type {any} */ error = undefined;
	/** @type {any[]} */ messages = [];
	told = 0;

	/** @param {any} message */
	pushMessage = (message) => {
		this.messages = this.messages.concat(message);
		this.told++;
	};

	popMessage = () => {
		this.messages = this.messages.slice(0, -1);
		this.told++;
	};

	/** @param {number} index @param {any} message */
	replaceMessage = (index, message) => {
		this.messages = [...this.messages.slice(0, index), this.snapshot(message), ...this.messages.slice(index + 1)];
		this.told++;
	};

	/** As the React and Vue packages of the SDK do it. @param {any} value */
	snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {
	/** @param {any} options */
	constructor(options) {
		super({ ...options, state: new State() });
	}
}

/** The AI SDK's chat with the state of its React package. */
export const abstractChat = {
	name: 'AI SDK AbstractChat',
	most: 5_000,
	wire: /** @type {const} */ ('ui'),
	/** @param {any[]} history */
	open(history) {
		/** @type {readonly Uint8Array[]} */
		let list = [];
		const chat = new Chat({
			transport: new DefaultChatTransport({ api: 'http://localhost/chat', fetch: async () => response(list) }),
		});
		return {
			/** @param {readonly Uint8Array[]} chunks */
			async run(chunks) {
				list = chunks;
				chat.messages = history;
				await chat.sendMessage({ text: 'go' });
				if (chat.error) throw chat.error;
				return textLength(chat.messages.at(-1));
			},
			restore() {
				chat.messages = structuredClone(history);
			},
			close() {},
		};
	},
};

/** TanStack's client over its own event stream. */
export const tanstack = {
	name: 'TanStack ChatClient',
	most: 1_000,
	wire: /** @type {const} */ ('agui'),
	/** @param {any[]} history */
	open(history) {
		/** @type {readonly Uint8Array[]} */
		let list = [];
		const stored = history.map((m) => ({ ...m, parts: m.parts.map((/** @type {any} */ p) => ({ type: 'text', content: p.text })) }));
		/** @type {any[]} */
		let shown = [];
		const client = new ChatClient({
			connection: fetchServerSentEvents('http://localhost/chat', { fetchClient: async () => response(list) }),
			initialMessages: stored,
			onMessagesChange: (messages) => (shown = messages),
		});
		return {
			/** @param {readonly Uint8Array[]} chunks */
			async run(chunks) {
				list = chunks;
				client.setMessagesManually(stored);
				await client.sendMessage('go');
				let length = 0;
				for (const part of shown.at(-1).parts) if (part.type === 'text') length += part.content.length;
				return length;
			},
			close() {},
		};
	},
};
