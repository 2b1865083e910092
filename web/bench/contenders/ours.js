/** Ours, through the public API: a session that sends, and a page that listens. */

import { response } from '../workload.js';

export const name = 'svedawasm';
export const wire = 'sveda';

/** @param {typeof import('../../src/index.js') | any} api the loaded package */
export function make(api) {
	return {
		name,
		wire,
		/** @param {any[]} history */
		open(history) {
			/** @type {readonly Uint8Array[]} */
			let list = [];
			const session = new api.SvedaChatSession('chat_1', {
				endpoints: { stream: 'http://localhost/sveda/stream' },
				fetchFn: async () => response(list),
			});
			session.setMessages(history);
			session.getSnapshot(); // the page has shown what was stored
			let notified = 0;
			const off = session.subscribe(() => {
				notified++;
				session.getSnapshot();
			});
			return {
				/** @param {readonly Uint8Array[]} chunks */
				async run(chunks) {
					list = chunks;
					await session.send('go');
					return textLength(session.messages.at(-1));
				},
				restore: () => session.setMessages(history),
				close() {
					off();
					session.close();
				},
			};
		},
	};
}

/** @param {any} message */
export function textLength(message) {
	let length = 0;
	for (const part of message.parts) if (part.type === 'text') length += part.text.length;
	return length;
}
