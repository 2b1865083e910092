/**
 * The chat session.
 *
 * @module
 */

import { consentQueue, idleRun, payloadOf } from './asgard.js';
import { SvedaClient } from './client.js';
import { presentConfirmation } from './confirmation.js';
import { Driver } from './driver.js';
import { Durability } from './durability.js';
import { Emitter } from './emitter.js';
import { SvedaError } from './errors.js';
import { onHint } from './hints.js';
import { deepFreeze, stringify } from './json.js';
import { Link } from './link.js';
import { Notifier } from './notifier.js';
import { core, restarted } from './runtime.js';
import { View } from './view.js';

/**
 * @typedef {import('./asgard.js').RunStatus} RunStatus
 * @typedef {import('./message.js').Message} Message
 * @typedef {import('./confirmation.js').Confirmation} Confirmation
 * @typedef {import('./confirmation.js').Arguments} Arguments
 * @typedef {'idle' | 'submitted' | 'streaming' | 'error'} Status
 * @typedef {'approve' | 'deny'} Decision
 *
 * @typedef {object} TurnOptions
 * @property {Record<string, any>} [context] laid over the page's context
 * @property {string} [model]
 * @property {string} [provider]
 * @property {Record<string, any>} [options] e.g. `{thinking: false}`
 *
 * @typedef {object} FileReference
 * @property {string} name
 * @property {string} [mediaType]
 * @property {string} [url]
 *
 * @typedef {TurnOptions & {files?: readonly FileReference[]}} SendOptions
 *
 * @typedef {object} DecisionDetails
 * @property {string} [reason] the person's words beside a denial
 * @property {'chat'} [remember] an approval for later calls of the tool in this
 *   chat; counts where the client or its protocol offers it
 * @property {string} [digest] `arguments.digest` of what was on the screen; a
 *   decision about other arguments is refused with `stale-confirmation`
 *
 * @typedef {{toolCallId: string, decision: Decision} & DecisionDetails} ToolDecision
 *
 * @typedef {object} DecisionOutcome
 * @property {'sent' | 'staged' | 'already-decided' | 'not-pending'} outcome
 *   `sent`: the decision was taken; `staged`: it waits for the others of its
 *   batch; `already-decided`: `decision` is the earlier one
 * @property {Decision} [decision] what counts
 *
 * @typedef {object} Snapshot what a page shows; see `getSnapshot`
 * @property {string} chatId
 * @property {Status} status
 * @property {boolean} isStreaming
 * @property {readonly Message[]} messages
 * @property {readonly Confirmation[]} confirmations
 * @property {boolean} confirmationPending
 * @property {number} currentIndex place of the call that is asked, from 1; 0 when none is
 * @property {number} totalCount all calls of its batch; 0 when none is asked
 * @property {RunStatus} runStatus
 * @property {SvedaError | undefined} error
 * @property {boolean} durable
 *
 * @typedef {object} SessionEvents names and payloads of `on`
 * @property {Message[]} messages
 * @property {Status} status
 * @property {any} event each wire event, before what it changes is told
 * @property {any} toolProgress
 * @property {any} contextUsage
 * @property {string} title
 * @property {any} maxSteps
 * @property {any} finish the `message.end` event
 * @property {SvedaError} error
 * @property {readonly Confirmation[]} confirmations
 * @property {boolean} confirmationPending
 * @property {string} chatId
 * @property {readonly {toolset: string, toolName: string}[]} grants
 * @property {readonly any[]} toolOutputs
 * @property {RunStatus} runStatus of a protocol whose runs have names (Asgard)
 * @property {boolean} durable whether a reload would find the chat
 * @property {any} gap what a broken connection missed is lost; the chat is read again
 * @property {'idle' | 'connecting' | 'open' | 'waiting' | 'closed'} connection
 *   the session's WebSocket; `waiting` is before the next attempt
 * @property {{code: string, toolCallId?: string}} warning something odd that was survived
 */

/** How many deaths of the core within how many ms a session survives. */
const mostDeaths = 3;
const deathWindow = 60_000;

/**
 * One chat (contract, section 3). Rules live in Go; this class gives them a
 * face: it holds a handle, turns arguments into bytes, and tells listeners.
 */
export class SvedaChatSession {
	#client;
	#emitter = new Emitter();
	/** @type {View} */ #view;
	/** @type {Driver} */ #driver;
	/** @type {Link} */ #link;
	/** @type {Notifier} */ #notifier;
	/** @type {Snapshot | undefined} undefined when it must be made again */ #snapshot;
	/** @type {Map<string, Arguments>} */ #arguments = new Map();
	#eventListeners = 0;
	/** @type {Durability} */ #durability;
	/** When cores died under this session, ms since 1970. @type {number[]} */ #deaths = [];
	#stopHints;
	#closed = false;

	/**
	 * @param {string} chatId
	 * @param {SvedaClient | import('./client.js').ClientOptions} [clientOrOptions]
	 *   a client, or the options of one that only this session uses
	 * @throws {SvedaError} `not-loaded`, and what SvedaClient throws
	 */
	constructor(chatId, clientOrOptions = {}) {
		this.#client = clientOrOptions instanceof SvedaClient ? clientOrOptions : new SvedaClient(clientOrOptions);
		this.#view = new View((state) => presentConfirmation(state, (id) => this.argumentsOf(id)));
		this.#view.chatId = String(chatId);
		this.#notifier = new Notifier(() => (this.#snapshot = undefined));
		this.#durability = new Durability(
			{
				link: () => this.#link,
				chatId: () => this.chatId,
				lastMessages: (count) => this.#view.last(count),
				perform: (effect) => this.#driver.perform(effect),
				told: (durable) => this.#tell('durable', durable),
				failed: (error) => this.#tell('error', error),
			},
			this.#client.keeper,
		);
		this.#driver = this.#newDriver();
		this.#link = this.#connect(core());
		this.#stopHints = onHint((hint) => this.#hear(hint));
		this.#durability.begin();
	}

	/**
	 * A session from the bytes of {@link snapshot}.
	 *
	 * @param {Uint8Array} bytes
	 * @param {SvedaClient | import('./client.js').ClientOptions} [clientOrOptions]
	 * @returns {SvedaChatSession}
	 * @throws {SvedaError} `snapshot-foreign`, `snapshot-newer`, `snapshot-corrupt`;
	 *   keep the bytes then, they may be all that is left of the chat
	 */
	static restore(bytes, clientOrOptions) {
		const session = new SvedaChatSession('', clientOrOptions);
		try {
			session.#link.call('adopt', [0], [bytes]);
		} catch (error) {
			session.close();
			throw error;
		}
		return session;
	}

	/**
	 * The whole session as bytes, for a storage of the page's own.
	 *
	 * @returns {Uint8Array}
	 * @throws {SvedaError} `snapshot-large`, beyond 64 MiB or two million fields
	 */
	snapshot() {
		return this.#link.call('snapshot', []);
	}

	/**
	 * Settles when what is stored of the chat is shown (option `persist`).
	 *
	 * @returns {Promise<void>}
	 */
	get ready() {
		return this.#durability.ready;
	}

	/**
	 * Whether a reload would find the chat as it is: false without the option
	 * `persist`, and while the storage fails.
	 */
	get durable() {
		return this.#durability.durable;
	}

	/** The chat's id; the server may give another one in its first answer. */
	get chatId() {
		return this.#view.chatId;
	}

	/** @returns {Message[]} the same array, and the same messages in it, until they change */
	get messages() {
		return this.#view.messages;
	}

	/** @returns {Status} */
	get status() {
		return this.#view.status;
	}

	/** Whether the status is `submitted` or `streaming`. */
	get isStreaming() {
		return this.status === 'submitted' || this.status === 'streaming';
	}

	/** Why the status is `error`. */
	get error() {
		return this.#view.error;
	}

	/**
	 * The calls that wait, or waited, for a person, in the order of their arrival.
	 * Ended ones stay until the next turn.
	 *
	 * @returns {readonly Confirmation[]}
	 */
	get confirmations() {
		return this.#view.confirmations;
	}

	/** Whether a confirmation holds the chat, so that no other turn can start. */
	get confirmationPending() {
		return this.#view.pending;
	}

	/**
	 * What holds the chat, where the protocol's runs have names (Asgard).
	 *
	 * @returns {RunStatus}
	 */
	get runStatus() {
		return this.#view.runStatus ?? idleRun;
	}

	/** What the person allowed for this chat. */
	get grants() {
		return this.#view.grants;
	}

	/** Tool results that wait for `submitToolOutputs`. */
	get toolOutputs() {
		return this.#view.toolOutputs;
	}

	/**
	 * Listens to an event. Listeners run after the change is visible; one that
	 * throws is reported and disturbs nobody.
	 *
	 * @template {keyof SessionEvents} K
	 * @param {K} event
	 * @param {(payload: SessionEvents[K]) => void} listener
	 * @returns {() => void} removes the listener
	 */
	on(event, listener) {
		const off = this.#emitter.on(event, listener);
		if (event !== 'event') return off;
		this.#countEventListeners(1);
		let on = true;
		return () => {
			if (!on) return;
			on = false;
			off();
			this.#countEventListeners(-1);
		};
	}

	/**
	 * Subscribes to any change, for React, Vue and the like: text is told at most
	 * once per animation frame, everything else at once.
	 *
	 * @param {() => void} subscriber
	 * @returns {() => void} unsubscribes
	 */
	subscribe = (subscriber) => this.#notifier.subscribe(subscriber);

	/**
	 * What to show: the same object until subscribers are told of a change, and
	 * the same messages in it unless they changed.
	 *
	 * @returns {Snapshot}
	 */
	getSnapshot = () => (this.#snapshot ??= this.#takeSnapshot());

	#takeSnapshot() {
		const { currentIndex, totalCount } = consentQueue(this.confirmations);
		return Object.freeze({
			chatId: this.chatId,
			status: this.status,
			isStreaming: this.isStreaming,
			messages: this.messages,
			confirmations: this.confirmations,
			confirmationPending: this.confirmationPending,
			currentIndex,
			totalCount,
			runStatus: this.runStatus,
			error: this.error,
			durable: this.durable,
		});
	}

	/**
	 * Sends a message of the person.
	 *
	 * @param {string} text
	 * @param {SendOptions} [options]
	 * @returns {Promise<void>} when the turn has ended
	 * @throws {import('./errors.js').ChannelAwaitingConsentError} a call waits for the person; nothing was drawn or sent
	 * @throws {import('./errors.js').ChannelBusyError} a turn is running
	 * @throws {SvedaError} `context-failed`, a value of the page's context threw and nothing was
	 *   drawn or sent; another code, the turn failed
	 */
	async send(text, options = {}) {
		const fields = [String(text), '', json(options.files), undefined, ...turnFields(options)];
		await this.#turn('send', [], fields);
	}

	/**
	 * Sends a message, as {@link send} does.
	 *
	 * @param {{text: string, payload?: unknown, messageId?: string, customMessageId?: string,
	 *   blobIds?: readonly string[]} & SendOptions} message `payload` may be a function
	 *   that gives it; `customMessageId` is Asgard's word for `messageId`
	 * @returns {Promise<void>}
	 */
	async sendMessage(message) {
		const { text, customMessageId, messageId = customMessageId, files, blobIds } = message;
		const fields = [String(text), messageId ?? '', json(files), json(blobIds), ...turnFields(message)];
		await this.#turn('send', [], fields);
	}

	/**
	 * Asks the agent to go on without words of the person.
	 *
	 * @param {TurnOptions & {payload?: unknown}} [options]
	 * @param {unknown} [payload] the same as `options.payload`
	 * @returns {Promise<void>}
	 * @throws {SvedaError} `unsupported` where the protocol has no such turn, and what `send` throws
	 */
	async nudge(options = {}, payload = options.payload) {
		await this.#turn('nudge', [], turnFields({ ...options, payload }));
	}

	/**
	 * Opens a channel with a turn without words (Asgard).
	 *
	 * @param {TurnOptions & {payload?: unknown}} [options]
	 * @returns {Promise<void>}
	 * @throws {SvedaError} as `nudge`
	 */
	async open(options = {}) {
		await this.#turn('openTurn', [], turnFields(options));
	}

	/**
	 * Goes on after the server's step limit (event `maxSteps`).
	 *
	 * @param {TurnOptions} [options]
	 * @returns {Promise<void>}
	 */
	async continueAfterMaxSteps(options = {}) {
		await this.#turn('continue', [], turnFields(options));
	}

	/**
	 * Brings back a chat that the server may have, and follows a run that is on.
	 *
	 * @param {TurnOptions & {payload?: unknown, create?: boolean}} [options] `create`
	 *   opens the chat when there is none
	 * @returns {Promise<{exists: boolean}>} an error is never taken for absence
	 */
	async restore({ create = false, ...options } = {}) {
		const found = await this.#turn('restore', [create ? 1 : 0], turnFields(options));
		return found ?? { exists: true };
	}

	/**
	 * Drops the chat on the server and opens it anew.
	 *
	 * @param {TurnOptions & {payload?: unknown}} [options]
	 * @returns {Promise<void>}
	 * @throws {SvedaError} `unsupported` where the protocol has no such request
	 */
	async reset(options = {}) {
		await this.#turn('reset', [], turnFields(options));
	}

	/**
	 * Ends the running turn. What arrived is kept; calls that wait go on waiting.
	 *
	 * Where the server can be asked to stop (Asgard), it is: the promise settles
	 * when it has answered, the run ends with its own last event, and what it asked
	 * is over. See `runStatus.stopPhase`.
	 *
	 * @param {{force?: boolean}} [options] `force` does not wait for the server's
	 *   own end of the run, where the protocol has one
	 * @returns {Promise<void>}
	 */
	async stop({ force = false } = {}) {
		await this.#driver.ask('stop', [force ? 1 : 0]);
	}

	/**
	 * Asgard's word for {@link stop}.
	 *
	 * @param {{force?: boolean}} [options]
	 * @returns {Promise<void>}
	 */
	stopGeneration(options) {
		return this.stop(options);
	}

	/**
	 * Decides about one call. Only a `pending` confirmation takes a decision; a
	 * second one changes nothing and says so.
	 *
	 * @param {string} toolCallId
	 * @param {Decision} decision
	 * @param {DecisionDetails & TurnOptions} [options]
	 * @returns {Promise<DecisionOutcome>} when the turn that follows has ended
	 * @throws {SvedaError} the decision was not accepted (the card is live again),
	 *   or `invalid-decision`, `stale-confirmation`, `arguments-blocked`, `conflicting-call`
	 */
	async resolveToolConfirmation(toolCallId, decision, options = {}) {
		const [{ outcome, decision: counts }] = await this.#decide([{ ...pickDetails(options), toolCallId, decision }], options);
		return counts === undefined ? { outcome } : { outcome, decision: counts };
	}

	/**
	 * Decides about several calls, in one request.
	 *
	 * @param {readonly ToolDecision[]} decisions
	 * @param {TurnOptions} [options]
	 * @returns {Promise<(DecisionOutcome & {toolCallId: string})[]>}
	 */
	resolveToolConfirmations(decisions, options = {}) {
		return this.#decide(decisions, options);
	}

	/**
	 * Decides with Asgard's words. Each answer names its call, so a second press
	 * cannot answer the next one; the reply is sent when the whole batch is
	 * answered, and an empty list sends nothing.
	 *
	 * @param {readonly {toolCallId: string, result: 'ALLOW_ONCE' | 'ALLOW_ALWAYS' | 'DENY_ONCE', denyReason?: string}[]} replies
	 * @param {TurnOptions & {payload?: unknown}} [options]
	 * @param {unknown} [payload] the same as `options.payload`
	 * @returns {Promise<(DecisionOutcome & {toolCallId: string})[]>} when the run
	 *   that follows has ended; at once for answers that wait for others
	 */
	async replyToolCallConsents(replies, options = {}, payload = options.payload) {
		return this.#decide(
			checkedList(replies).map(({ toolCallId, result, denyReason }) => ({
				toolCallId, decision: /** @type {any} */ (result), reason: denyReason,
			})),
			{ ...options, payload },
		);
	}

	/**
	 * What a call would do, as a card shows it, from the bytes that the server sent.
	 *
	 * @param {string} toolCallId
	 * @param {{all?: boolean}} [options] `all` gives every row that can be shown at
	 *   all, not only those up to the soft limits
	 * @returns {Arguments}
	 * @throws {SvedaError} `unknown-call`
	 */
	argumentsOf(toolCallId, { all = false } = {}) {
		const key = `${all ? 'all' : 'some'} ${toolCallId}`;
		let made = this.#arguments.get(key);
		if (made === undefined) {
			const { arguments: shown, raw } = this.#link.call('arguments', [all ? 1 : 0], [String(toolCallId)]);
			made = /** @type {Arguments} */ (deepFreeze({ raw, ...shown }));
			this.#arguments.set(key, made);
		}
		return made;
	}

	/**
	 * Asks the server whether a call still waits (S50).
	 *
	 * @param {string} toolCallId
	 * @returns {Promise<boolean>}
	 * @throws {SvedaError} the server could not be asked
	 */
	async verifyConfirmation(toolCallId) {
		await this.reload();
		return this.confirmations.some((c) => c.toolCallId === toolCallId && c.state === 'pending');
	}

	/**
	 * Reads the chat from the server again. Where the server has no stored chats
	 * nothing happens.
	 *
	 * @returns {Promise<void>}
	 */
	async reload() {
		await this.#driver.ask('reread', []);
	}

	/**
	 * Lets the handler of a call with the state `outcome-unknown` be tried once
	 * more: its card is live again and needs a new decision.
	 *
	 * @param {string} toolCallId
	 * @returns {Promise<void>}
	 * @throws {SvedaError} `not-retryable`, once the model has been told that the
	 *   outcome is unknown
	 */
	async retryUnknown(toolCallId) {
		await this.#driver.ask('retryUnknown', [], [String(toolCallId)]);
	}

	/**
	 * Takes back what was allowed for this chat; later calls of the tool ask again.
	 *
	 * @param {{toolset?: string, toolName: string}} grant
	 */
	revokeGrant({ toolset = '', toolName }) {
		this.#link.call('revoke', [], [toolset, toolName]);
	}

	/**
	 * Sends the tool results that `autoSubmitFrontendToolResults: false` kept.
	 *
	 * @returns {Promise<void>}
	 */
	async submitToolOutputs() {
		await this.#turn('submitOutputs', []);
	}

	/**
	 * Replaces the messages, with the page's own or a stored chat. A confirming
	 * call without a result waits; no handler runs from a list.
	 *
	 * @param {readonly any[]} messages
	 * @throws {SvedaError} `invalid-messages`
	 */
	setMessages(messages) {
		this.#arguments.clear();
		this.#link.call('setMessages', [], [json(messages) ?? 'null']);
	}

	/**
	 * Ends the session for good: requests and handlers are aborted, promises
	 * settle, timers are gone, listeners are forgotten. What was shown can still
	 * be read.
	 */
	close() {
		if (this.#closed) return;
		this.#durability.close();
		this.#closed = true;
		this.#stopHints();
		if (this.#link.core.alive) this.#link.call('close', []);
		this.#driver.close(new SvedaError('closed', 'the session was closed'));
		this.#notifier.close();
		this.#emitter.clear();
	}

	[Symbol.dispose]() {
		this.close();
	}

	/**
	 * @param {readonly ToolDecision[]} decisions
	 * @param {TurnOptions & {payload?: unknown}} options
	 */
	async #decide(decisions, options) {
		/** @type {(string | undefined)[]} */
		const fields = turnFields(options);
		for (const { toolCallId, decision, reason, digest, remember } of checkedList(decisions)) {
			fields.push(String(toolCallId), String(decision), reason ?? '', digest ?? '', remember === 'chat' ? '1' : '');
		}
		if (this.#client.keeper !== undefined) await this.#durability.act();
		return this.#driver.ask('decide', [], fields);
	}

	/** @param {number} by */
	#countEventListeners(by) {
		this.#eventListeners += by;
		const on = this.#eventListeners > 0;
		if (on === this.#link.stepwise || this.#closed || !this.#link.core.alive) return;
		this.#link.stepwise = on;
		this.#link.call('setEvents', [on ? 1 : 0]);
	}

	/**
	 * Opens the session in an instance.
	 *
	 * @param {import('./core.js').Core} running
	 */
	#connect(running) {
		const link = new Link(running, this.#client.openSession(running, this.chatId), {
			view: this.#view,
			hears: (name) => this.#emitter.has(name),
			emit: (name, payload) => this.#emitter.emit(name, payload),
			changed: (urgent) => {
				this.#notifier.changed(urgent);
				if (!this.isStreaming) queueMicrotask(() => this.#durability.settle());
			},
			perform: (effect) => this.#driver.perform(effect),
		});
		this.#driver.attach(link);
		running.onExit((error) => this.#lose(error));
		return link;
	}

	#newDriver() {
		return new Driver({
			client: this.#client,
			chatId: () => this.chatId,
			durability: this.#durability,
			connection: (state) => this.#emitter.emit('connection', state),
		});
	}

	/**
	 * Begins a turn. Where other pages may show the chat, this one takes the right
	 * to act before; a turn that would be refused anyway leaves no trace there (R17).
	 *
	 * @param {string} name
	 * @param {readonly number[]} numbers
	 * @param {readonly (string | undefined)[]} [fields]
	 */
	async #turn(name, numbers, fields) {
		if (this.#client.keeper !== undefined && !this.confirmationPending && !this.isStreaming) await this.#durability.act();
		return this.#driver.withContext(() => this.#driver.ask(name, numbers, fields));
	}

	/** @param {import('./hints.js').Hint} hint */
	#hear(hint) {
		if (hint === 'leaving') this.#durability.flush();
		else if (!this.#link.core.alive) return;
		else if (hint === 'online') this.#link.call('online', [1]);
		else this.#link.call('wake', []);
	}

	/**
	 * @param {'durable' | 'error'} name
	 * @param {any} payload
	 */
	#tell(name, payload) {
		this.#emitter.emit(name, payload);
		this.#notifier.changed(true);
	}

	/**
	 * The instance has died: every promise says so. What was shown stays, and goes
	 * on in a new instance from the last snapshot (R20 of the loader).
	 *
	 * @param {SvedaError} error
	 */
	#lose(error) {
		if (this.#closed) return;
		this.#driver.close(error);
		this.#durability.lose();
		this.#view.status = 'error';
		this.#view.error = error;
		this.#emitter.emit('status', 'error');
		this.#tell('error', error);
		// A state that kills the core each time is not brought back for ever.
		this.#deaths = this.#deaths.filter((at) => Date.now() - at < deathWindow);
		if (this.#deaths.push(Date.now()) > mostDeaths) return;
		restarted()
			.then((next) => this.#revive(next))
			.catch((failure) => this.#tell('error', failure));
	}

	/** @param {import('./core.js').Core} next */
	#revive(next) {
		if (this.#closed || !next.alive) return;
		this.#driver = this.#newDriver();
		this.#link = this.#connect(next);
		const on = this.#eventListeners > 0;
		this.#link.stepwise = on;
		if (on) this.#link.call('setEvents', [1]);
		const { snapshot } = this.#durability;
		if (snapshot !== undefined) this.#link.call('adopt', [0], [snapshot]);
		else if (this.messages.length > 0) this.#link.call('setMessages', [], [json(this.messages)]);
	}
}

/**
 * @param {unknown} value
 * @returns {string | undefined}
 */
function json(value) {
	return value === undefined || value === null ? undefined : stringify(value);
}

/**
 * The options of a turn as fields (bridge.turnOptions).
 *
 * @param {TurnOptions & {payload?: unknown}} options
 * @returns {(string | undefined)[]}
 */
function turnFields({ context, payload, options, model, provider }) {
	return [json(context), json(payloadOf(payload)), json(options), model ?? '', provider ?? ''];
}

/**
 * @param {DecisionDetails} options
 * @returns {DecisionDetails}
 */
function pickDetails({ reason, remember, digest }) {
	return { reason, remember, digest };
}

/**
 * Decisions come from pages: what is no list of objects decides nothing.
 *
 * @template T
 * @param {readonly T[]} list
 * @returns {readonly T[]}
 */
function checkedList(list) {
	if (Array.isArray(list) && list.every((item) => typeof item === 'object' && item !== null)) return list;
	throw new SvedaError('invalid-decision', 'decisions must be a list of {toolCallId, decision}');
}
