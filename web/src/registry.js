/**
 * The tools that a page offers to the model.
 *
 * @module
 */

import { ask } from './ask.js';
import { SvedaError } from './errors.js';
import { parse, stringify } from './json.js';
import { core } from './runtime.js';

/**
 * @typedef {object} ToolContext what a handler is told beside its input
 * @property {string} chatId
 * @property {string} toolCallId
 * @property {AbortSignal} signal aborted when the output is not waited for any
 *   more: the turn was stopped, the tool took too long, the session was closed
 * @property {string} rawInput the input as the server sent it, exactly
 * @property {boolean} inexact whether a number of the input has more digits than
 *   JavaScript holds, so that only `rawInput` has its true value (case B095)
 *
 * @typedef {object} Tool
 * @property {string} name 1 to 128 of `A-Z a-z 0-9 _ . : / -`
 * @property {string} [description]
 * @property {object} [parameters] a JSON Schema, an object
 * @property {'required' | 'auto'} [confirmation] `required`: each call waits for
 *   the person; default `auto`
 * @property {string} [domain]
 * @property {string} [mode] `read`, `write` or `delete`
 * @property {(input: any, context: ToolContext) => unknown} handler runs the
 *   tool; its (promised) output goes to the model as JSON. The input is frozen
 *
 * @typedef {object} ClientTool an entry of the request's `clientTools`
 * @property {string} name
 * @property {string} description
 * @property {object} parameters
 * @property {'required'} [confirmation]
 */

/** A registry of frontend tools (contract, section 3, rule 26). */
export class SvedaToolRegistry {
	/** @type {Map<number, Tool>} by the number that Go knows the handler by */
	#tools = new Map();
	#lastTool = 0;
	/** @type {{restricted: boolean, allow: string[]} | undefined} */
	#capabilities;
	/** @type {WeakMap<import('./core.js').Core, number>} */
	#handles = new WeakMap();

	/** @param {Iterable<Tool>} [tools] */
	constructor(tools = []) {
		core(); // says at once what to do when nothing is loaded
		for (const tool of tools) this.register(tool);
	}

	/**
	 * Registers a tool, in the place of one with the same name.
	 *
	 * @param {Tool} tool
	 * @returns {() => void} unregisters it, unless another took its place
	 * @throws {SvedaError} `invalid-tool-name`, `missing-handler`,
	 *   `invalid-parameters`, `invalid-confirmation`
	 */
	register(tool) {
		const copy = readTool(tool);
		const running = core();
		const handle = this.handleIn(running);
		const number = this.#lastTool + 1;
		const registration = send(running, handle, typeof copy.handler === 'function' ? number : 0, copy);
		this.#lastTool = number;
		this.#forget(copy.name);
		this.#tools.set(number, copy);
		return () => {
			if (!this.#tools.delete(number)) return;
			const now = core();
			// After a restart the registration has another id, but still this name.
			if (now === running) ask(now, 'SvedaToolRegistry', 'unregisterID', [handle, registration]);
			else ask(now, 'SvedaToolRegistry', 'unregister', [this.handleIn(now)], [copy.name]);
		};
	}

	/**
	 * @param {string} name
	 * @returns {boolean} whether there was one
	 */
	unregister(name) {
		const running = core();
		const [was] = ask(running, 'SvedaToolRegistry', 'unregister', [this.handleIn(running)], [String(name)]);
		this.#forget(String(name));
		return was === 1;
	}

	/**
	 * Whether a tool is registered, published or not.
	 *
	 * @param {string} name
	 */
	has(name) {
		return this.get(name) !== undefined;
	}

	/**
	 * @param {string} name
	 * @returns {Tool | undefined}
	 */
	get(name) {
		const running = core();
		const [number] = ask(running, 'SvedaToolRegistry', 'find', [this.handleIn(running)], [String(name)]);
		return this.#tools.get(number);
	}

	/**
	 * What requests publish as `clientTools`: only what the capabilities allow,
	 * and `confirmation` only when it is `required`.
	 *
	 * @returns {ClientTool[]}
	 */
	list() {
		const running = core();
		return ask(running, 'SvedaToolRegistry', 'list', [this.handleIn(running)])[0];
	}

	/**
	 * Runs a tool's handler, whether or not it needs a confirmation: who calls
	 * this has the person's word.
	 *
	 * @param {string} name
	 * @param {unknown} input
	 * @param {Partial<ToolContext>} [context]
	 * @returns {Promise<unknown>}
	 * @throws {SvedaError} `unknown-tool`
	 */
	async execute(name, input, context = {}) {
		const tool = this.get(name);
		if (tool === undefined) throw new SvedaError('unknown-tool', `[sveda] Unknown frontend tool: ${name}`);
		return tool.handler(input, /** @type {ToolContext} */ (context));
	}

	/** Removes every tool. Capabilities stay. */
	clear() {
		const running = core();
		ask(running, 'SvedaToolRegistry', 'clear', [this.handleIn(running)]);
		this.#tools.clear();
	}

	/**
	 * Says which tools may be published, as the embed configuration has it.
	 *
	 * @param {{restricted?: boolean, client?: {allow?: readonly string[]}} | null | undefined} capabilities
	 */
	setCapabilities(capabilities) {
		this.#capabilities = {
			restricted: capabilities?.restricted === true,
			allow: [...(capabilities?.client?.allow ?? [])].map(String),
		};
		const running = core();
		this.#sendCapabilities(running, this.handleIn(running));
	}

	/**
	 * The registry's handle in an instance; after a restart it is filled again.
	 *
	 * @internal
	 * @param {import('./core.js').Core} running
	 * @returns {number}
	 */
	handleIn(running) {
		let handle = this.#handles.get(running);
		if (handle !== undefined) return handle;
		[handle] = ask(running, 'SvedaToolRegistry', 'open', []);
		this.#handles.set(running, /** @type {number} */ (handle));
		for (const [number, tool] of this.#tools) send(running, /** @type {number} */ (handle), number, tool);
		if (this.#capabilities !== undefined) this.#sendCapabilities(running, /** @type {number} */ (handle));
		return /** @type {number} */ (handle);
	}

	/**
	 * The tool that Go knows by a number.
	 *
	 * @internal
	 * @param {number} number
	 */
	byNumber(number) {
		return this.#tools.get(number);
	}

	/**
	 * @param {import('./core.js').Core} running
	 * @param {number} handle
	 */
	#sendCapabilities(running, handle) {
		const { restricted, allow } = /** @type {{restricted: boolean, allow: string[]}} */ (this.#capabilities);
		ask(running, 'SvedaToolRegistry', 'setCapabilities', [handle, restricted ? 1 : 0], allow);
	}

	/** @param {string} name */
	#forget(name) {
		for (const [number, tool] of this.#tools) if (tool.name === name) this.#tools.delete(number);
	}
}

/**
 * @param {import('./core.js').Core} running
 * @param {number} handle
 * @param {number} number
 * @param {Tool} tool
 * @returns {number} the id of the registration
 */
function send(running, handle, number, tool) {
	return ask(running, 'SvedaToolRegistry', 'register', [handle, number], [
		tool.name, tool.description ?? '', stringify(tool.parameters), tool.confirmation ?? '', tool.domain ?? '',
		tool.mode ?? '',
	])[0];
}

/**
 * Reads a tool once, so that later changes of the page's object change nothing.
 *
 * @param {Tool} tool
 * @returns {Tool}
 */
function readTool(tool) {
	if (typeof tool !== 'object' || tool === null) {
		throw new SvedaError('invalid-tool', 'register: expected a tool object');
	}
	const { name, description, parameters, confirmation, domain, mode, handler } = tool;
	const text = stringify(parameters ?? undefined);
	if (text !== undefined && !text.startsWith('{')) {
		throw new SvedaError('invalid-parameters', `registering tool ${JSON.stringify(name)}: expected parameters to be an object`);
	}
	for (const [key, value] of Object.entries({ description, confirmation, domain, mode })) {
		if (value !== undefined && value !== null && typeof value !== 'string') {
			throw new SvedaError(
				key === 'confirmation' ? 'invalid-confirmation' : 'invalid-tool',
				`registering tool ${JSON.stringify(name)}: expected ${key} to be a string, got ${typeof value}`,
			);
		}
	}
	return {
		name: String(name), description: description ?? '', confirmation: confirmation ?? undefined,
		domain: domain ?? undefined, mode: mode ?? undefined, handler,
		parameters: text === undefined ? undefined : parse(text),
	};
}
