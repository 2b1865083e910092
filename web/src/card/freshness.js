/**
 * Whether the server still waits for the decision (S50). A request that was
 * restored, or that lay idle for long, may be from a turn that is dead; where
 * the session can ask the server, Confirm waits for the answer.
 *
 * @module
 */

/**
 * @import { ConfirmationSession } from './types.js'
 * @import { Ports } from './ports.js'
 */

/** Idle time after which a request is checked again, in milliseconds. */
export const idle = 10 * 60_000;

export class Freshness {
	/** @type {'ok'|'checking'|'unverified'} */
	state = 'ok';
	#session;
	#id;
	#ports;
	#onChange;
	#checked;
	#round = 0;

	/**
	 * @param {ConfirmationSession | null} session
	 * @param {string} toolCallId
	 * @param {Ports} ports
	 * @param {{restored: boolean, onChange: () => void}} options `restored`: it waited before this card was there
	 */
	constructor(session, toolCallId, ports, { restored, onChange }) {
		this.#session = session;
		this.#id = toolCallId;
		this.#ports = ports;
		this.#onChange = onChange;
		this.#checked = ports.now();
		if (restored) this.check();
	}

	/** Called now and then: checks when the card lay idle. */
	look() {
		if (this.state === 'ok' && this.#ports.now() - this.#checked > idle) this.check();
	}

	/** Somebody is there. */
	touch() {
		if (this.#ports.now() - this.#checked <= idle) this.#checked = this.#ports.now();
	}

	/** Asks the server, where the session can. */
	async check() {
		const verify = this.#session?.verifyConfirmation;
		if (typeof verify !== 'function') return;
		const round = ++this.#round;
		this.#set('checking');
		let waits = false;
		try {
			waits = await verify.call(this.#session, this.#id) === true;
		} catch {
			waits = false; // not knowing is not approvable
		}
		if (round !== this.#round) return;
		this.#checked = this.#ports.now();
		this.#set(waits ? 'ok' : 'unverified');
	}

	/** @param {'ok'|'checking'|'unverified'} state */
	#set(state) {
		this.state = state;
		this.#onChange();
	}
}
