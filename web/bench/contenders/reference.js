/**
 * Today's approach, written plainly: an async generator that decodes, splits
 * lines and parses, and a session that tells each event, copies the message list
 * for each delta and tells the list.
 */

import { response } from '../workload.js';
import { textLength } from './ours.js';

/** @param {ReadableStream<Uint8Array>} body */
async function* iterate(body) {
	const reader = body.getReader();
	const decoder = new TextDecoder();
	let buffer = '';
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		buffer += decoder.decode(value, { stream: true });
		const lines = buffer.split('\n');
		buffer = lines.pop() ?? '';
		for (const line of lines) {
			const trimmed = line.trim();
			if (!trimmed.startsWith('data:')) continue;
			const data = trimmed.slice(5).trim();
			if (data && data !== '[DONE]') yield JSON.parse(data);
		}
	}
}

export const reference = {
	name: 'reference',
	wire: /** @type {const} */ ('sveda'),
	/** @param {any[]} history */
	open(history) {
		/** @type {any[]} */
		let messages = history.slice();
		let told = 0;
		/** @type {Map<string, Set<(payload: any) => void>>} */
		const listeners = new Map([['messages', new Set([(list) => (told += list.length ? 1 : 0)])]]);
		const emit = (/** @type {string} */ name, /** @type {any} */ payload) => {
			for (const listener of listeners.get(name) ?? []) listener(payload);
		};

		/** @param {any} event */
		function apply(event) {
			emit('event', event);
			const last = messages[messages.length - 1];
			if (last?.role !== 'assistant') return;
			let parts = last.parts;
			switch (event.type) {
				case 'message.start':
					messages = [...messages.slice(0, -1), { ...last, id: event.messageId }];
					emit('messages', messages);
					return;
				case 'text.delta': {
					const open = parts[parts.length - 1];
					parts = open?.type === 'text'
						? [...parts.slice(0, -1), { ...open, text: open.text + event.delta }]
						: [...parts, { type: 'text', text: event.delta }];
					break;
				}
				case 'tool.call':
					parts = [...parts, { type: 'tool-call', toolCallId: event.toolCallId, toolName: event.toolName, target: event.target, input: event.input }];
					break;
				case 'tool.result':
					parts = [...parts, { type: 'tool-result', toolCallId: event.toolCallId, toolName: event.toolName, output: event.output }];
					break;
				default:
					return;
			}
			messages = [...messages.slice(0, -1), { ...last, parts }];
			emit('messages', messages);
		}

		return {
			/** @param {readonly Uint8Array[]} chunks */
			async run(chunks) {
				messages = [...history, { id: 'u', role: 'user', parts: [{ type: 'text', text: 'go' }] }, { id: 'a', role: 'assistant', parts: [] }];
				const body = /** @type {ReadableStream<Uint8Array>} */ (response(chunks).body);
				for await (const event of iterate(body)) apply(event);
				return textLength(messages[messages.length - 1]);
			},
			restore() {
				messages = structuredClone(history);
			},
			close() {},
		};
	},
};
