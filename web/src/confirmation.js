/**
 * Confirmations as a page sees them.
 *
 * @module
 */

import { errorFrom } from './errors.js';

/**
 * @typedef {import('./card/types.js').Arguments} Arguments
 *
 * @typedef {object} Confirmation a tool call that waits, or waited, for a person
 * @property {string} toolCallId
 * @property {string} toolName
 * @property {string} [toolset]
 * @property {'backend' | 'frontend'} target where the tool runs
 * @property {'pending' | 'deciding' | 'approved' | 'denied' | 'resolved' | 'expired'
 *   | 'answered-elsewhere' | 'outcome-unknown'} state only `pending` can be decided
 * @property {'approve' | 'deny'} [decision]
 * @property {string} [reason] the person's words beside a denial
 * @property {'chat'} [remember] the approval is for the whole chat
 * @property {import('./errors.js').SvedaError} [error] why the last decision was
 *   not accepted, or why the outcome is not known
 * @property {true} [uncertain] a decision whose answer was lost may have been taken, and the
 *   call may run; it can be decided again, and the first decision counts
 * @property {string} [mode] the tool's `read`, `write` or `delete`
 * @property {string} [messageId] of the message that holds the call
 * @property {string} [modelReason] the model's own word; never a heading
 * @property {'server'} [grantKeeper] the server keeps what is allowed for the chat;
 *   it ends with a reset
 * @property {number} alreadyAsked earlier questions about the same tool within a minute
 * @property {true} [automatic] answered without asking, by an earlier approval
 * @property {string} [batchId] of calls that are answered together (Asgard): a hint
 *   for people, empty after a reload; never a key
 * @property {number} [currentIndex] place in its batch, from 1
 * @property {number} [totalCount] calls of its batch
 * @property {Arguments} arguments what the call would do, made from the bytes
 *   that the server sent when this is first read
 */

/**
 * Makes a confirmation from what the core says of it.
 *
 * @param {any} state
 * @param {(toolCallId: string) => Arguments} argumentsOf
 * @returns {Confirmation}
 */
export function presentConfirmation(state, argumentsOf) {
	if (state.error !== undefined) state.error = errorFrom(state.error);
	const { toolCallId } = state;
	Object.defineProperty(state, 'arguments', { enumerable: true, get: () => argumentsOf(toolCallId) });
	return Object.freeze(state);
}
