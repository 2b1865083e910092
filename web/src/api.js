/**
 * Everything that the package gives a page, without the way to load the core.
 *
 * @module
 */

export { ToolCallConsentResult } from './asgard.js';
export { SvedaClient } from './client.js';
export { SvedaContextRegistry } from './context.js';
export {
	ChannelAwaitingConsentError,
	ChannelBusyError,
	SvedaError,
	SvedaLoadError,
	isChannelAwaitingConsentError,
	isChannelBusyError,
} from './errors.js';
export { createMessageId, messageKey, messageText } from './message.js';
export { storedMessages } from './preview.js';
export { SvedaToolRegistry } from './registry.js';
export { IndexedDBStorage } from './storage/indexeddb.js';
export { MemoryStorage } from './storage/memory.js';
export { SvedaChatSession } from './session.js';
export { iterateSvedaStream } from './stream.js';
export { version } from './build-info.js';
