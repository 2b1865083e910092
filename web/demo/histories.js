// The chats that the server has stored.

/** @import { SvedaClient } from '../src/index.js' */

export class Histories {
	#client;
	#list;
	#none;
	#open;
	#gone;
	#current = '';
	#shown = '';

	/**
	 * @param {SvedaClient} client
	 * @param {HTMLElement} list
	 * @param {HTMLElement} none shown when there is no chat
	 * @param {(chatId: string) => void} open
	 * @param {() => void} gone called when the shown chat was deleted
	 */
	constructor(client, list, none, open, gone) {
		this.#client = client;
		this.#list = list;
		this.#none = none;
		this.#open = open;
		this.#gone = gone;
	}

	/** @param {string} current the chat that is shown */
	async refresh(current) {
		this.#current = current;
		const chats = await this.#client.listHistories().catch(() => undefined);
		if (chats === undefined || current !== this.#current) return;
		// A button is not replaced under the finger that presses it.
		const now = JSON.stringify(chats.map(({ chatId, title, preview }) => [chatId, title, preview]));
		if (now !== this.#shown) this.#list.replaceChildren(...chats.map((chat) => this.#row(chat)));
		this.#shown = now;
		chats.forEach(({ chatId }, i) => this.#list.children[i].toggleAttribute('data-current', chatId === current));
		this.#none.hidden = chats.length > 0;
	}

	/** @param {{chatId: string, title: string, preview?: string}} chat */
	#row({ chatId, title, preview }) {
		const item = document.createElement('li');
		const open = document.createElement('button');
		open.type = 'button';
		open.className = 'open';
		open.dir = 'auto';
		open.textContent = title || preview || 'Chat';
		open.addEventListener('click', () => this.#open(chatId));
		const drop = document.createElement('button');
		drop.type = 'button';
		drop.className = 'drop';
		drop.textContent = '×';
		drop.setAttribute('aria-label', `Delete the chat ${title}`);
		drop.addEventListener('click', async () => {
			await this.#client.deleteHistory(chatId).catch(() => {});
			this.#client.destroySession(chatId);
			if (chatId === this.#current) this.#gone();
			else await this.refresh(this.#current);
		});
		item.append(open, drop);
		return item;
	}
}
