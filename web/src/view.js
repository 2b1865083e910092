/**
 * The page's mirror of a session: applies changes, keeps unchanged parts,
 * messages and lists the same objects, and builds nothing that nobody reads.
 *
 * @module
 */

import { errorFrom } from './errors.js';
import { Op } from './frame.js';
import { setMessageKey } from './message.js';

/**
 * One message of the mirror. Its JSON is parsed when the message is first read
 * or edited; what was given out is copied before the next edit.
 */
class Row {
	#json;
	/** @type {any} */ #message;
	#shown = false;
	/** The part that was copied since the message was given out, or -1. */
	#own = -1;

	#key;

	/**
	 * @param {string} json
	 * @param {number} key stays when the message's id changes
	 */
	constructor(json, key) {
		this.#json = json;
		this.#key = key;
	}

	/** What is still to be parsed, or empty. */
	get json() {
		return this.#json;
	}

	/** @param {any} message what its JSON says */
	parsed(message) {
		this.#message = message;
		this.#json = '';
	}

	/** The message, to give out. */
	read() {
		const message = this.#parsed();
		if (!this.#shown) setMessageKey(message, this.#key);
		this.#shown = true;
		return message;
	}

	#parsed() {
		if (this.#message === undefined) this.parsed(JSON.parse(this.#json));
		return this.#message;
	}

	/** The message, to change. */
	#writable() {
		const message = this.#parsed();
		if (!this.#shown) return message;
		this.#shown = false;
		this.#own = -1;
		return (this.#message = { ...message, parts: message.parts.slice() });
	}

	/** @param {string} id */
	rename(id) {
		this.#writable().id = id;
	}

	/**
	 * @param {number} index
	 * @param {unknown} part
	 */
	setPart(index, part) {
		this.#writable().parts[index] = part;
	}

	/**
	 * @param {number} index
	 * @param {string} text
	 */
	append(index, text) {
		const parts = this.#writable().parts;
		if (this.#own === index) {
			parts[index].text += text;
			return;
		}
		parts[index] = { ...parts[index], text: parts[index].text + text };
		this.#own = index;
	}
}

/**
 * Parses the messages of a stored chat in one call: for 5,000 of them that takes
 * a fraction of a call each.
 *
 * @param {readonly Row[]} rows
 */
function parseTogether(rows) {
	if (rows.length < 8) return;
	const waiting = rows.filter((row) => row.json !== '');
	const messages = JSON.parse(`[${waiting.map((row) => row.json).join(',')}]`);
	for (const [i, row] of waiting.entries()) row.parsed(messages[i]);
}

/** The mirror. Applying a change costs the same with any number of messages. */
export class View {
	/** @type {Row[]} */ #rows = [];
	/** @type {any[]} the list that was given out last */ #list = [];
	/** @type {Set<number>} rows that differ from #list */ #changed = new Set();
	/** @type {Map<string, any>} */ #confirmations = new Map();
	/** @type {readonly any[] | undefined} */ #confirmationList = Object.freeze([]);
	/** @type {(state: any) => any} */ #present;
	#lastKey = 0;

	chatId = '';
	/** @type {'idle' | 'submitted' | 'streaming' | 'error'} */ status = 'idle';
	/** Whether a confirmation holds the chat. */
	pending = false;
	/** @type {readonly {toolset: string, toolName: string}[]} what is allowed for this chat */
	grants = Object.freeze([]);
	/** @type {import('./asgard.js').RunStatus | undefined} what holds the chat, when the protocol tells */
	runStatus;
	/** @type {readonly any[]} tool results that wait for submitToolOutputs */
	toolOutputs = Object.freeze([]);
	/** @type {import('./errors.js').SvedaError | undefined} why the status is error */
	error;
	/** @type {any} the payload of the event that the last change tells */
	told;

	/**
	 * @param {(state: any) => any} [present] makes what is given out from the
	 *   state of a confirmation
	 */
	constructor(present = (state) => state) {
		this.#present = present;
	}

	/** All messages: the same array until one changes. */
	get messages() {
		const rows = this.#rows;
		if (this.#changed.size === 0 && this.#list.length === rows.length) return this.#list;
		const list = this.#list.slice(0, rows.length);
		parseTogether(rows.slice(list.length));
		for (let i = list.length; i < rows.length; i++) list.push(rows[i].read());
		for (const i of this.#changed) if (i < rows.length) list[i] = rows[i].read();
		this.#changed.clear();
		return (this.#list = list);
	}

	/**
	 * The last messages, without a look at the others.
	 *
	 * @param {number} count
	 * @returns {any[]}
	 */
	last(count) {
		return this.#rows.slice(-count).map((row) => row.read());
	}

	/** All confirmations in the order of their arrival: the same array until one changes. */
	get confirmations() {
		return (this.#confirmationList ??= Object.freeze([...this.#confirmations.values()]));
	}

	/**
	 * Applies changes of the kind PartText, up to the first of another kind.
	 *
	 * @param {import('./frame.js').FrameReader} frame stands at a record
	 */
	appendTexts(frame) {
		while (frame.is(Op.PartText)) {
			frame.op();
			const message = frame.int();
			const part = frame.int();
			frame.skip();
			this.#edit(message).append(part, frame.text());
		}
	}

	/**
	 * Applies one change.
	 *
	 * @param {number} op
	 * @param {import('./frame.js').FrameReader} frame stands at the change's fields
	 * @returns {string | undefined} the event that tells of it, with `told` as its
	 *   payload; undefined for changes of the lists
	 */
	apply(op, frame) {
		const message = frame.int();
		const part = frame.int();
		const text = frame.text();
		switch (op) {
			case Op.PartText:
				this.#edit(message).append(part, frame.text());
				return undefined;
			case Op.PartAdd:
			case Op.PartSet:
				this.#edit(message).setPart(part, frame.json());
				return undefined;
			case Op.MessageAdd:
				this.#rows.push(new Row(frame.text(), ++this.#lastKey));
				return undefined;
			case Op.MessageID:
				frame.skip();
				this.#edit(message).rename(text);
				return undefined;
			case Op.MessageRemove:
				frame.skip();
				this.#rows.splice(message, 1);
				this.#list = this.#list.slice(0, message);
				return undefined;
			case Op.MessagesReset:
				frame.skip();
				this.#rows = [];
				this.#list = [];
				this.#changed.clear();
				return undefined;
			case Op.ConfirmationSet:
				this.#setConfirmation(frame.json());
				return undefined;
			case Op.ConfirmationsCleared:
				frame.skip();
				this.#confirmations.clear();
				this.#confirmationList = undefined;
				return undefined;
		}
		return this.#applyState(op, message, text, frame);
	}

	/**
	 * @param {number} op
	 * @param {number} number
	 * @param {string} text
	 * @param {import('./frame.js').FrameReader} frame
	 */
	#applyState(op, number, text, frame) {
		switch (op) {
			case Op.StatusChange:
				frame.skip();
				this.told = this.status = /** @type {any} */ (text);
				if (text !== 'error') this.error = undefined;
				return 'status';
			case Op.ChatIDChange:
				frame.skip();
				this.told = this.chatId = text;
				return 'chatId';
			case Op.PendingChange:
				frame.skip();
				this.told = this.pending = number === 1;
				return 'confirmationPending';
			case Op.GrantsChange:
				this.told = this.grants = Object.freeze(frame.json());
				return 'grants';
			case Op.OutputsChange:
				this.told = this.toolOutputs = Object.freeze(frame.json());
				return 'toolOutputs';
			case Op.Failure:
				this.told = this.error = errorFrom(frame.json());
				return 'error';
			case Op.RawEvent:
				this.told = frame.json();
				return 'event';
			case Op.Warning:
				this.told = frame.json();
				return 'warning';
			case Op.Notify:
				this.told = frame.json();
				if (text === 'runStatus') this.runStatus = Object.freeze(this.told);
				return text;
		}
		frame.skip(); // of a newer core
		return undefined;
	}

	/** @param {any} state */
	#setConfirmation(state) {
		this.#confirmations.set(state.toolCallId, this.#present(state));
		this.#confirmationList = undefined;
	}

	/** @param {number} index */
	#edit(index) {
		this.#changed.add(index);
		return this.#rows[index];
	}
}
