/**
 * Reads the frames that Go writes (wasm/frame): records of an op byte and the
 * fields of its kind.
 *
 * @module
 */

/**
 * Ops of the records, as in wasm/frame and package session; a test compares the
 * lists.
 */
export const Op = Object.freeze({
	// changes: message, part, text, data
	StatusChange: 1,
	ChatIDChange: 2,
	MessagesReset: 3,
	MessageAdd: 4,
	MessageRemove: 5,
	MessageID: 6,
	PartAdd: 7,
	PartSet: 8,
	PartText: 9,
	ConfirmationSet: 10,
	ConfirmationsCleared: 11,
	PendingChange: 12,
	RawEvent: 13,
	Notify: 14,
	Warning: 15,
	Failure: 16,
	GrantsChange: 17,
	OutputsChange: 18,
	// effects: id, handler, delay, ticket, call, text, data, error
	OpenStream: 33,
	AbortStream: 34,
	RunTool: 35,
	AbortTool: 36,
	SetTimer: 37,
	ClearTimer: 38,
	Settle: 39,
	Persist: 40,
	Claim: 41,
	// effects of a socket
	SocketDial: 48,
	SocketTimer: 49,
	SocketFlush: 50,
	SocketState: 51,
	SocketUnavailable: 52,
	// answers
	Value: 64,
	Error: 65,
	Request: 66,
	Event: 67,
	Number: 68,
	Bytes: 69,
});

/** The first op of the effects and of the answers. */
export const firstEffect = 33;
export const firstAnswer = 64;

const decoder = new TextDecoder();

/** Up to this length a loop over ASCII is faster than a call of TextDecoder. */
const shortText = 24;

export class FrameReader {
	/** @type {Uint8Array} */ #bytes = new Uint8Array(0);
	#at = 0;

	/**
	 * @param {Uint8Array} bytes must stay as it is while it is read
	 * @param {number} [at] where to begin
	 */
	open(bytes, at = 0) {
		this.#bytes = bytes;
		this.#at = at;
		return this;
	}

	/** Where the next field stands. */
	get at() {
		return this.#at;
	}

	/** Whether a record follows. */
	get more() {
		return this.#at < this.#bytes.length;
	}

	/** Whether the next record has this op. */
	is(/** @type {number} */ op) {
		return this.#bytes[this.#at] === op;
	}

	/** The op of the next record. */
	op() {
		return this.#bytes[this.#at++];
	}

	/** The next number. */
	int() {
		let byte = this.#bytes[this.#at++];
		let value = byte & 0x7f;
		for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
			byte = this.#bytes[this.#at++];
			value += (byte & 0x7f) * scale;
		}
		return value;
	}

	/** The next bytes, in place. */
	bytes() {
		const length = this.int();
		const start = this.#at;
		this.#at += length;
		return this.#bytes.subarray(start, this.#at);
	}

	/** The next bytes as text. */
	text() {
		const length = this.int();
		const start = this.#at;
		const end = (this.#at = start + length);
		if (length <= shortText) {
			let text = '';
			for (let i = start; ; i++) {
				if (i === end) return text;
				const byte = this.#bytes[i];
				if (byte >= 0x80) break;
				text += String.fromCharCode(byte);
			}
		}
		return decoder.decode(this.#bytes.subarray(start, end));
	}

	/** The next bytes as a JSON value; undefined when there are none. */
	json() {
		const text = this.text();
		return text === '' ? undefined : JSON.parse(text);
	}

	/** Passes over the next bytes. */
	skip() {
		const length = this.int();
		this.#at += length;
	}

	/** Passes over the fields of a change. */
	skipChange() {
		this.int();
		this.int();
		this.skip();
		this.skip();
	}

	/**
	 * The fields of an effect.
	 *
	 * @param {number} op
	 */
	effect(op) {
		return {
			op,
			id: this.int(),
			handler: this.int(),
			/** milliseconds */
			delay: this.int(),
			ticket: this.int(),
			call: this.text(),
			text: this.text(),
			/** JSON, or empty */
			data: this.text(),
			/** JSON of an error, or empty */
			error: this.text(),
		};
	}

	/** The fields of a request. */
	request() {
		const request = {
			method: this.text(),
			endpoint: this.text(),
			path: this.text(),
			accept: this.text(),
			/** @type {[string, string][]} */
			headers: [],
			body: '',
		};
		for (let left = this.int(); left > 0; left--) request.headers.push([this.text(), this.text()]);
		request.body = this.text();
		return request;
	}

	/**
	 * The fields of an answer.
	 *
	 * @param {number} op
	 * @returns {any}
	 */
	answer(op) {
		switch (op) {
			case Op.Number:
				return this.int();
			case Op.Request:
				return this.request();
			case Op.Bytes:
				return this.bytes().slice(); // the next call writes Go's outbox again
			default:
				return this.json();
		}
	}
}
