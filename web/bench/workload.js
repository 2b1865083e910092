/**
 * Streams to measure with. A workload is a list of events that each contender
 * gets in its own protocol's words: the same texts in the same chunks.
 *
 * @module
 */

/**
 * @typedef {{kind: 'text', text: string} | {kind: 'call', id: string, name: string, input: string, result: string}} Item
 * @typedef {'sveda' | 'ui' | 'agui'} Wire
 */

const letters = 'etaoin shrdlu cmfwyp vbgkqjxz ETAOIN éü漢字 ';

/**
 * Text deltas of about `size` characters.
 *
 * @param {number} count
 * @param {number} size
 * @returns {Item[]}
 */
export function deltas(count, size) {
	const items = [];
	for (let i = 0; i < count; i++) {
		let text = '';
		for (let k = 0; k < size; k++) text += letters[(i * 7 + k * 3) % letters.length];
		items.push(/** @type {const} */ ({ kind: 'text', text }));
	}
	return items;
}

/**
 * Calls with their results.
 *
 * @param {number} count
 * @returns {Item[]}
 */
export function calls(count) {
	return Array.from({ length: count }, (_, i) => ({
		kind: 'call',
		id: `call_${i}`,
		name: 'search_posts',
		input: JSON.stringify({ query: `words of post ${i}`, limit: 10, page: i }),
		result: JSON.stringify({ success: true, data: [{ id: i, title: `Post ${i}` }] }),
	}));
}

/**
 * One call with an argument of `size` bytes.
 *
 * @param {number} size
 * @returns {Item[]}
 */
export function largeCall(size) {
	const body = 'a line of the post\n'.repeat(Math.ceil(size / 20)).slice(0, size);
	return [{ kind: 'call', id: 'call_0', name: 'create_post', input: JSON.stringify({ title: 'large', body }), result: '{"success":true}' }];
}

/**
 * The events of a whole turn in one protocol, one string each.
 *
 * @param {Item[]} items
 * @param {Wire} wire
 * @returns {string[]}
 */
export function frames(items, wire) {
	const json = wires[wire](items);
	return json.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
}

const stamp = { chatId: 'chat_1', messageId: 'msg_1', timestamp: '2026-01-01T00:00:00.000000Z' };

/** @type {Record<Wire, (items: Item[]) => (string | object)[]>} */
const wires = {
	sveda(items) {
		/** @type {(string | object)[]} */
		const out = [{ type: 'message.start', ...stamp }];
		for (const item of items) {
			if (item.kind === 'text') {
				out.push({ type: 'text.delta', ...stamp, delta: item.text });
			} else {
				out.push({ type: 'tool.call', ...stamp, toolCallId: item.id, toolName: item.name, target: 'backend', input: JSON.parse(item.input) });
				out.push({ type: 'tool.result', ...stamp, toolCallId: item.id, toolName: item.name, output: JSON.parse(item.result) });
			}
		}
		out.push({ type: 'message.end', ...stamp, finishReason: 'stop' }, '[DONE]');
		return out;
	},
	ui(items) {
		/** @type {(string | object)[]} */
		const out = [{ type: 'start', messageId: 'msg_1' }, { type: 'start-step' }];
		let open = false;
		for (const item of items) {
			if (item.kind === 'text') {
				if (!open) out.push({ type: 'text-start', id: 't' });
				open = true;
				out.push({ type: 'text-delta', id: 't', delta: item.text });
			} else {
				out.push({ type: 'tool-input-available', toolCallId: item.id, toolName: item.name, input: JSON.parse(item.input) });
				out.push({ type: 'tool-output-available', toolCallId: item.id, output: JSON.parse(item.result) });
			}
		}
		if (open) out.push({ type: 'text-end', id: 't' });
		out.push({ type: 'finish-step' }, { type: 'finish' }, '[DONE]');
		return out;
	},
	agui(items) {
		/** @type {(string | object)[]} */
		const out = [{ type: 'RUN_STARTED', runId: 'run_1', threadId: 'chat_1' }];
		let open = false;
		for (const item of items) {
			if (item.kind === 'text') {
				if (!open) out.push({ type: 'TEXT_MESSAGE_START', messageId: 'msg_1', role: 'assistant' });
				open = true;
				out.push({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'msg_1', delta: item.text });
			} else {
				out.push({ type: 'TOOL_CALL_START', toolCallId: item.id, toolCallName: item.name, toolName: item.name, parentMessageId: 'msg_1' });
				out.push({ type: 'TOOL_CALL_ARGS', toolCallId: item.id, delta: item.input });
				out.push({ type: 'TOOL_CALL_END', toolCallId: item.id, toolCallName: item.name, toolName: item.name });
				out.push({ type: 'TOOL_CALL_RESULT', toolCallId: item.id, messageId: `res_${item.id}`, content: item.result });
			}
		}
		if (open) out.push({ type: 'TEXT_MESSAGE_END', messageId: 'msg_1' });
		out.push({ type: 'RUN_FINISHED', runId: 'run_1', threadId: 'chat_1' });
		return out;
	},
};

const encoder = new TextEncoder();

/**
 * Frames as the network would bring them.
 *
 * @param {string[]} all
 * @param {number | 'event'} size bytes of a chunk, or one event each
 * @returns {Uint8Array[]}
 */
export function chunks(all, size) {
	if (size === 'event') return all.map((frame) => encoder.encode(frame));
	const bytes = encoder.encode(all.join(''));
	const out = [];
	for (let at = 0; at < bytes.length; at += size) out.push(bytes.slice(at, at + size));
	return out;
}

/**
 * A response that brings the chunks as fast as they are taken.
 *
 * @param {readonly Uint8Array[]} list
 */
export function response(list) {
	let next = 0;
	const body = new ReadableStream({
		pull(controller) {
			if (next === list.length) controller.close();
			else controller.enqueue(list[next++]);
		},
	});
	return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

/**
 * A stored chat of `count` messages.
 *
 * @param {number} count
 */
export function history(count) {
	return Array.from({ length: count }, (_, i) => ({
		id: `h_${i}`,
		role: i % 2 ? 'assistant' : 'user',
		parts: [{ type: 'text', text: `Message number ${i}, as long as messages are in most chats of this kind.` }],
	}));
}
