/**
 * The cards of the gallery. They stand for themselves: no session, no server.
 *
 * @module
 */

import { SvedaConfirmation } from '/dist/card/index.js';
import { browserPorts } from '/dist/card/ports.js';

/**
 * @import { Confirmation, ConfirmationSession, Grant } from '../src/card/types.js'
 * @typedef {Pick<Confirmation, 'toolName' | 'toolNameTokens' | 'arguments'> & {id: string}} Fixture
 * @typedef {{title: string, note?: string, cards: HTMLElement[]}} Case
 */

/** A card whose clock stands still: the protection time never ends. */
class ProtectedConfirmation extends SvedaConfirmation {
	static ports = { ...browserPorts, now: () => 0 };
}
customElements.define('sveda-confirmation-protected', ProtectedConfirmation);

/**
 * @param {readonly Fixture[]} fixtures
 * @param {string} id
 * @param {Partial<Confirmation>} [more]
 * @returns {Confirmation}
 */
export function confirmationOf(fixtures, id, more) {
	const fixture = fixtures.find((f) => f.id === id);
	if (!fixture) throw new Error(`no fixture ${id}`);
	const { toolName, toolNameTokens, arguments: args } = fixture;
	return { toolCallId: `call_${id}`, toolName, toolNameTokens, target: 'backend', state: 'pending', arguments: args, ...more };
}

/**
 * A session that stands still.
 *
 * @param {Confirmation[]} confirmations
 * @param {{grants?: Grant[], chatId?: string}} [more]
 * @returns {ConfirmationSession}
 */
export function stillSession(confirmations, { grants = [], chatId = 'gallery' } = {}) {
	return {
		chatId, confirmations, grants, confirmationPending: true,
		subscribe: () => () => {},
		resolveToolConfirmation: () => new Promise(() => {}),
		argumentsOf: (id) => /** @type {Confirmation} */ (confirmations.find((c) => c.toolCallId === id)).arguments,
		revokeGrant: () => {},
		stop: () => {},
	};
}

/**
 * @param {Confirmation | ConfirmationSession} what
 * @param {Record<string, string>} [attributes]
 * @param {string} [name]
 */
function card(what, attributes = {}, name = 'sveda-confirmation') {
	const node = /** @type {SvedaConfirmation} */ (document.createElement(name));
	for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
	if ('toolCallId' in what) node.confirmation = what;
	else node.session = what;
	return node;
}

/** The reason step, opened as a person would. @param {Confirmation} confirmation */
function reasonStep(confirmation) {
	const node = card(confirmation, { 'two-step-deny': '' });
	queueMicrotask(() => /** @type {HTMLElement} */ (node.shadowRoot?.querySelector('[data-action="deny"]')).click());
	return node;
}

/**
 * @param {readonly Fixture[]} fixtures
 * @returns {Case[]}
 */
export function stateCards(fixtures) {
	const mail = (/** @type {Partial<Confirmation>} */ more = {}) => confirmationOf(fixtures, 'send-mail', { toolset: 'mail', ...more });
	const post = (/** @type {Partial<Confirmation>} */ more = {}) => confirmationOf(fixtures, 'delete-post', { mode: 'delete', ...more });
	const hidden = mail();
	hidden.arguments = { ...hidden.arguments, hidden: { rows: 1240, characters: 35220 } };
	return [
		{ title: 'Pending', cards: [card(post())] },
		{ title: 'Protected', note: 'The first half second: Confirm does not act yet.', cards: [card(mail(), {}, 'sveda-confirmation-protected')] },
		{ title: 'Sending', cards: [card(post({ state: 'deciding', decision: 'approve' }))] },
		{ title: 'Failed', cards: [card(post({ error: { code: 'unauthorized' } }))] },
		{ title: 'Uncertain', cards: [card(post({ error: { code: 'network' }, uncertain: true }))] },
		{ title: 'Reason step', cards: [reasonStep(post())] },
		{ title: 'Hidden arguments', cards: [card(hidden)] },
		{ title: 'Ambiguous arguments', cards: [card(confirmationOf(fixtures, 'duplicate'))] },
		{ title: 'In this browser', cards: [card(confirmationOf(fixtures, 'empty', { target: 'frontend' }))] },
		{ title: 'Grant, stop, repeats', cards: [card(mail({ alreadyAsked: 4, mode: 'write' }), { 'allow-remember': '', 'allow-stop': '' })] },
		{ title: 'Words of the model', cards: [card(mail({ modelReason: 'The customer asked for it.', currentIndex: 2, totalCount: 3 }), { 'show-model-reason': '', 'two-step-deny': '' })] },
		{ title: 'Queue', cards: [card(stillSession([post({ toolCallId: 'q1', state: 'resolved', decision: 'approve' }), mail({ toolCallId: 'q2' }), post({ toolCallId: 'q3' }), post({ toolCallId: 'q4' })]))] },
		{
			title: 'Ended',
			cards: [card(stillSession([
				post({ toolCallId: 'e1', state: 'approved', decision: 'approve' }), post({ toolCallId: 'e2', state: 'denied', decision: 'deny' }),
				post({ toolCallId: 'e3', state: 'resolved', decision: 'approve' }), post({ toolCallId: 'e4', state: 'resolved', decision: 'deny' }),
				post({ toolCallId: 'e5', state: 'answered-elsewhere' }), post({ toolCallId: 'e6', state: 'answered-elsewhere', decision: 'approve' }),
				post({ toolCallId: 'e7', state: 'expired' }), post({ toolCallId: 'e8', state: 'outcome-unknown', decision: 'approve' }),
			], { grants: [{ toolName: 'search_posts', toolset: 'posts' }, { toolName: 'create_post' }] }))],
		},
		{ title: 'Another chat', cards: [elsewhere(stillSession([post()], { chatId: 'other' }))] },
	];
}

/** @param {ConfirmationSession} other */
function elsewhere(other) {
	const node = card(stillSession([]));
	/** @type {SvedaConfirmation} */ (node).otherSessions = [other];
	return node;
}

/**
 * @param {readonly Fixture[]} fixtures
 * @returns {Case[]}
 */
export function hostileCards(fixtures) {
	return fixtures.map(({ id }) => ({ title: id, cards: [card(confirmationOf(fixtures, id))] }));
}

/**
 * @param {readonly Fixture[]} fixtures
 * @returns {Case[]}
 */
export function themeCards(fixtures) {
	const mail = confirmationOf(fixtures, 'send-mail');
	const classed = (/** @type {string} */ name) => {
		const box = document.createElement('div');
		box.className = name;
		box.append(card(mail, { 'two-step-deny': '', 'allow-remember': '' }));
		return box;
	};
	const branded = card(mail, { 'two-step-deny': '' });
	/** @type {SvedaConfirmation} */ (branded).brand = { chatbot: { mainColor: '#0f766e', backgroundColor: '#fdf6e3', primaryComponent: { mainColor: '#b45309' } } };
	return [
		{ title: 'Default', cards: [card(mail)] },
		{ title: 'Asgard override', note: 'Three variables on an ancestor; the texts follow by themselves.', cards: [classed('branded')] },
		{ title: 'Brand', note: 'An Asgard brand theme.', cards: [branded] },
		{ title: 'Hopeless', note: 'Every variable the same gray, font size 1px.', cards: [classed('hopeless')] },
		{ title: 'Modal', cards: [modalOpener(mail)] },
	];
}

/** @param {Confirmation} confirmation */
function modalOpener(confirmation) {
	const node = /** @type {SvedaConfirmation} */ (card(stillSession([]), { variant: 'modal', 'allow-remember': '' }));
	const open = document.createElement('button');
	open.className = 'open';
	open.textContent = 'Open the modal';
	open.addEventListener('click', () => {
		node.session = stillSession([{ ...confirmation, toolset: 'mail', modelReason: 'The customer asked for it.', currentIndex: 1, totalCount: 4 }]);
	});
	const box = document.createElement('div');
	box.append(open, node);
	return box;
}
