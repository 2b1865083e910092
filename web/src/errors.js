/**
 * Errors of this package. `code` is API and stays; a message may change.
 *
 * @module
 */

/**
 * @typedef {object} ErrorDetails what an error may say beside its code
 * @property {number} [status] the HTTP status, when there was one
 * @property {number} [retryAfter] what the server asked to wait, in milliseconds
 * @property {string} [serverMessage] the server's own words
 * @property {string} [processId] a hint of `awaiting-consent` for people, never a key
 * @property {string} [runKind] of `busy`: what holds the chat (contract asgard, L3)
 * @property {string} [traceId] the server's name for the response
 * @property {string} [goPanic] what Go wrote before it stopped (`core-exited`)
 */

/**
 * The error class of everything that this package throws or rejects with,
 * apart from what a page's own callback threw.
 *
 * Its name for `instanceof` is per copy of the package: compare `code`, or use
 * the `is…` functions, when a page may hold two copies.
 */
export class SvedaError extends Error {
	/**
	 * @param {string} code stable, in kebab-case
	 * @param {string} message
	 * @param {ErrorOptions & {details?: ErrorDetails}} [options]
	 */
	constructor(code, message, options) {
		super(message, options);
		this.name = 'SvedaError';
		/** @readonly */
		this.code = code;
		/** @type {number | undefined} */
		this.status = options?.details?.status;
		/** @type {number | undefined} milliseconds */
		this.retryAfter = options?.details?.retryAfter;
		/** @type {string | undefined} */
		this.serverMessage = options?.details?.serverMessage;
		/** @type {string | undefined} */
		this.traceId = options?.details?.traceId;
		/** @type {string | undefined} */
		this.goPanic = options?.details?.goPanic;
	}
}

/**
 * `load()` failed. Codes: `csp-blocked`, `http-status`, `network`,
 * `integrity-mismatch`, `compile-failed`, `version-mismatch`, `ready-timeout`,
 * `core-exited`.
 */
export class SvedaLoadError extends SvedaError {
	/**
	 * @param {string} code
	 * @param {string} message
	 * @param {ErrorOptions & {details?: ErrorDetails}} [options]
	 */
	constructor(code, message, options) {
		super(code, message, options);
		this.name = 'SvedaLoadError';
	}
}

// A registered symbol is the same in every copy of the package.
const consentBrand = Symbol.for('svedawasm.ChannelAwaitingConsentError');
const busyBrand = Symbol.for('svedawasm.ChannelBusyError');

/**
 * A turn was refused because a tool call waits for the person's decision: code
 * `awaiting-consent`. Nothing was drawn, sent or stored.
 */
export class ChannelAwaitingConsentError extends SvedaError {
	/**
	 * @param {string} message
	 * @param {ErrorOptions & {details?: ErrorDetails}} [options]
	 */
	constructor(message, options) {
		super('awaiting-consent', message, options);
		this.name = 'ChannelAwaitingConsentError';
		/** A hint for people, never a key: the guard looks at the calls that wait. */
		this.processId = options?.details?.processId ?? '';
		Object.defineProperty(this, consentBrand, { value: true });
	}
}

/** A turn was refused because another one runs: code `busy`. */
export class ChannelBusyError extends SvedaError {
	/**
	 * @param {string} message
	 * @param {ErrorOptions & {details?: ErrorDetails}} [options]
	 */
	constructor(message, options) {
		super('busy', message, options);
		this.name = 'ChannelBusyError';
		/** What holds the chat, e.g. `user` or `reset`. */
		this.runKind = options?.details?.runKind ?? 'user';
		Object.defineProperty(this, busyBrand, { value: true });
	}
}

/**
 * Whether an error is a {@link ChannelAwaitingConsentError}, also of another
 * copy of the package.
 *
 * @param {unknown} error
 * @returns {error is ChannelAwaitingConsentError}
 */
export function isChannelAwaitingConsentError(error) {
	return typeof error === 'object' && error !== null && /** @type {any} */ (error)[consentBrand] === true;
}

/**
 * Whether an error is a {@link ChannelBusyError}, also of another copy of the
 * package.
 *
 * @param {unknown} error
 * @returns {error is ChannelBusyError}
 */
export function isChannelBusyError(error) {
	return typeof error === 'object' && error !== null && /** @type {any} */ (error)[busyBrand] === true;
}

/**
 * Makes the error that the core described.
 *
 * @internal
 * @param {{code: string, message: string} & ErrorDetails} from
 * @returns {SvedaError}
 */
export function errorFrom(from) {
	const options = { details: from };
	switch (from.code) {
		case 'awaiting-consent':
			return new ChannelAwaitingConsentError(from.message, options);
		case 'busy':
			return new ChannelBusyError(from.message, options);
	}
	return new SvedaError(from.code, from.message, options);
}

/**
 * The message of what was thrown, of any type.
 *
 * @internal
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
	try {
		if (typeof error === 'object' && error !== null && 'message' in error) {
			return String(/** @type {{message: unknown}} */ (error).message);
		}
		return String(error);
	} catch {
		return 'an error that cannot be read'; // a throwing getter or a revoked proxy
	}
}
