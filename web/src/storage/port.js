/**
 * What a place to keep chats must do. The package has two: IndexedDB and memory.
 *
 * @module
 */

/**
 * @typedef {object} Stored a chat as it is kept
 * @property {Uint8Array} snapshot bytes of the session
 * @property {number} fence of the page that wrote it: of two pages that think
 *   they act, the one with the higher fence is right
 * @property {number} version grows with each write
 * @property {string} page which page wrote it
 * @property {boolean} acting whether a turn of that page was under way
 * @property {unknown} [preview] what a page shows before it can read the snapshot:
 *   plain data, at most 50 messages of 4,096 characters each (display.js)
 *
 * @typedef {object} Claim who acts on a decision; it is never given back
 * @property {string} page
 * @property {'approve' | 'deny'} decision
 * @property {number} at ms since 1970
 *
 * @typedef {object} StoragePort
 * @property {(chatId: string) => Promise<Stored | undefined>} read
 * @property {(chatId: string, stored: Stored, options: {strict: boolean}) => Promise<boolean>} write
 *   `strict`: on disk before it resolves; false: a higher fence was given out
 *   since, and nothing was changed
 * @property {(chatId: string) => Promise<number>} nextFence a number above all earlier ones of the chat
 * @property {(chatId: string, key: string, claim: Claim) => Promise<Claim>} claim
 *   records the claim if there is none, on disk; gives the one that stands
 * @property {(chatId: string, snapshot: Uint8Array, code: string) => Promise<void>} setAside
 *   keeps bytes that could not be read
 * @property {(chatId: string) => Promise<void>} remove forgets a chat
 * @property {() => Promise<void>} clear forgets everything
 * @property {() => void} close
 */

export {};
