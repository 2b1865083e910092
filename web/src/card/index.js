/**
 * The confirmation card. Importing this module defines
 * `<sveda-confirmation>`:
 *
 * ```js
 * import 'svedawasm/card';
 * document.querySelector('sveda-confirmation').session = session;
 * ```
 *
 * @module
 */

import { SvedaConfirmation } from './element.js';

// A second copy of the package finds the name taken and leaves it. Without a
// page there is nothing to define.
if (globalThis.customElements && !customElements.get('sveda-confirmation')) {
	customElements.define('sveda-confirmation', SvedaConfirmation);
}

export { bindComposerLock, createComposerLock } from './composer-lock.js';
export { brandColors } from './brand.js';
export { escapeForCopy } from './copy.js';
export { focusPendingConfirmation, SvedaConfirmation } from './element.js';
export { nameTokens, tokensToText } from './tokens.js';
export { Speaker } from './locale.js';
export { sanitizeReason } from './reason.js';
export { tokens as themeTokens } from './theme.js';
export { languages, registerTexts } from './texts/index.js';
