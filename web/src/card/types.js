/**
 * The shapes that the card reads. They are made in Go (`session/rawjson`) and
 * handed over by the session; the card never parses arguments itself.
 *
 * @module
 */

/**
 * A piece of text as it may be drawn.
 *
 * - `text`: ordinary text, drawn as it is
 * - `char`: one character that is invisible or changes order, drawn as a label
 * - `space`: a run of one character, drawn with its count
 * - `ascii`: the ASCII form of the host name before it
 *
 * @typedef {{t: 'text', s: string}
 *   | {t: 'char', cp: string, name?: string}
 *   | {t: 'space', cp: string, name?: string, count: number}
 *   | {t: 'ascii', s: string}} Token
 */

/** @typedef {'object'|'array'|'string'|'number'|'boolean'|'null'|'text'} RowKind `text`: the source of what is no JSON */

/**
 * One key or element of the arguments, in source order.
 *
 * @typedef {object} Row
 * @property {string} path JSON pointer of the value
 * @property {number} depth 0 for the members of the outermost container
 * @property {Token[] | null} key the member's name
 * @property {number | null} index the element's position
 * @property {RowKind} kind
 * @property {number} [size] members or elements of a container
 * @property {Token[]} [tokens] the scalar as it stands in the source
 * @property {number} [hidden] characters of key and value that were cut
 * @property {string[]} [warnings] codes, see `warnings.js`
 */

/** @typedef {'duplicate-key'|'too-large'|'too-deep'|'too-many'|'malformed'} Blocked */

/**
 * @typedef {object} Arguments
 * @property {string} raw the bytes that the server sent, as text
 * @property {string} digest SHA-256 of the raw bytes, in hex
 * @property {Row[]} rows
 * @property {{code: string, path: string}[]} warnings of all rows, see `warnings.js`
 * @property {{rows: number, characters: number}} hidden what the soft limits left out
 * @property {Blocked | null} blocked why the call can never be confirmed
 */

/**
 * @typedef {'pending'|'deciding'|'approved'|'denied'|'resolved'|'expired'
 *   |'answered-elsewhere'|'outcome-unknown'} ConfirmationState
 */

/**
 * A tool call that waits, or waited, for a person.
 *
 * @typedef {object} Confirmation
 * @property {string} toolCallId
 * @property {string} toolName canonical name, never a translated one
 * @property {Token[]} [toolNameTokens]
 * @property {string} [toolset]
 * @property {'backend'|'frontend'} target where the tool runs
 * @property {ConfirmationState} state
 * @property {{code: string, message?: string}} [error] the last decision was not accepted
 * @property {true} [uncertain] a decision that failed may have been taken all the same
 * @property {string} [reason]
 * @property {'approve'|'deny'} [decision]
 * @property {string} [mode] the host's policy hint: read, write, delete
 * @property {number} [alreadyAsked] earlier requests for the same tool within the last minute
 * @property {number} [currentIndex] position in a batch, from 1
 * @property {number} [totalCount]
 * @property {string} [modelReason] written by the model
 * @property {'server'} [grantKeeper] the server keeps an approval for the chat; it
 *   cannot be taken back from here
 * @property {Arguments} arguments
 */

/** @typedef {{toolset?: string, toolName: string}} Grant a tool that no longer asks in this chat */

/** @typedef {{outcome: 'sent'|'staged'|'already-decided'|'not-pending', decision?: 'approve'|'deny'}} DecisionOutcome */

/**
 * What the card asks of a session. `SvedaChatSession` has it; a page with a
 * session of its own can offer the same.
 *
 * @typedef {object} ConfirmationSession
 * @property {string} chatId
 * @property {readonly Confirmation[]} confirmations in order of arrival; ended ones stay until the next turn
 * @property {boolean} [confirmationPending]
 * @property {(listener: () => void) => (() => void)} subscribe
 * @property {(toolCallId: string, decision: 'approve'|'deny',
 *   options: {reason?: string, remember?: 'chat', digest?: string}) => Promise<DecisionOutcome>} resolveToolConfirmation
 * @property {(toolCallId: string, options: {all: true}) => Arguments} [argumentsOf]
 * @property {() => unknown} [stop]
 * @property {readonly Grant[]} [grants]
 * @property {(grant: Grant) => unknown} [revokeGrant]
 * @property {(toolCallId: string) => Promise<boolean>} [verifyConfirmation] asks the server whether the call still waits (S50)
 */

/** @typedef {'ask'|'reason'|'grant'} Step of the card: the question, the reason of a denial, the scope of a grant */

export {};
