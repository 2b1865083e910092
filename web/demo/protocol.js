// Which protocol the demo speaks: Sveda's with the inline card, or Asgard's with
// the consent modal. `?protocol=asgard` chooses; the switch in the bar leads there.

/**
 * @import { SvedaChatSession, SvedaClient } from '../src/index.js'
 */

export const asgard = new URLSearchParams(location.search).get('protocol') === 'asgard';

/** The options of a client of the playground's Asgard side. */
export const channelOptions = {
	dialect: /** @type {const} */ ('asgard'),
	botProviderEndpoint: new URL('/ns/demo/bot-provider/posts', location.href).href,
};

/**
 * Makes the page one of the protocol.
 *
 * @param {HTMLElement} card
 * @param {HTMLElement} bar holds the switch
 */
export function dress(card, bar) {
	for (const link of bar.querySelectorAll('[data-protocol]')) {
		const here = /** @type {HTMLElement} */ (link).dataset.protocol === (asgard ? 'asgard' : 'sveda');
		if (here) link.setAttribute('aria-current', 'page');
	}
	document.documentElement.dataset.protocol = asgard ? 'asgard' : 'sveda';
	if (!asgard) return;
	card.setAttribute('variant', 'modal');
	card.setAttribute('two-step-deny', '');
	card.setAttribute('allow-remember', '');
	// A brand as Asgard's chatbot has one; variables on any ancestor win over it.
	/** @type {any} */ (card).brand = { chatbot: { primaryComponent: { mainColor: '#0f766e', secondaryColor: '#ffffff' } } };
}

/**
 * Looks again what the server asks when the person comes back to this page: it
 * may have been answered elsewhere.
 *
 * @param {() => SvedaChatSession} session
 */
export function lookAgain(session) {
	const look = () => {
		const { confirmationPending, isStreaming } = session();
		if (document.visibilityState === 'visible' && confirmationPending && !isStreaming) session().reload().catch(() => {});
	};
	document.addEventListener('visibilitychange', look);
	addEventListener('focus', look);
}

/**
 * Shows a channel: its history, the run that is on, or the question that waits.
 *
 * @param {SvedaClient} client
 * @param {string} channelId
 * @param {(session: SvedaChatSession) => void} enter
 */
export async function openChannel(client, channelId, enter) {
	const session = client.session(channelId);
	enter(session);
	await session.restore();
}
