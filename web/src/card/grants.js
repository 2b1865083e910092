/**
 * What runs without asking in this chat, each with a way to take it back (U56).
 *
 * @module
 */

import { headingName, shortened } from './card-body.js';
import { button, element, show } from './dom.js';
import { Speech } from './speech.js';
import { isolated, nameTokens } from './tokens.js';

/**
 * @import { Grant } from './types.js'
 * @import { Speaker } from './locale.js'
 */

export class GrantsView {
	/** @readonly */
	node = element('section', 'grants surface', { 'aria-labelledby': 'grants-title', hidden: '' });
	#list = element('ul', '', { role: 'list' });
	#speech;
	/** What the items say; they come and go together. @type {Speech} */
	#items;
	#revoke;
	#shown = '';

	/**
	 * @param {Speaker} speaker
	 * @param {(grant: Grant) => void} revoke
	 */
	constructor(speaker, revoke) {
		this.#revoke = revoke;
		this.#speech = new Speech(speaker);
		this.#items = new Speech(speaker);
		const title = element('h2', 'notes-title', { id: 'grants-title', tabindex: '-1' });
		this.#speech.text(title, 'grantsTitle');
		this.node.append(title, this.#list);
	}

	/** @param {readonly Grant[]} grants */
	update(grants) {
		const key = JSON.stringify(grants.map(({ toolset = '', toolName }) => [toolset, toolName]));
		show(this.node, grants.length > 0);
		if (key === this.#shown) return;
		this.#shown = key;
		this.#items = new Speech(this.#speech.speaker);
		const hadFocus = this.#list.contains(/** @type {ShadowRoot} */ (this.node.getRootNode()).activeElement);
		this.#list.replaceChildren(...grants.map((grant, index) => this.#item(grant, index)));
		if (hadFocus) /** @type {HTMLElement} */ (this.node.firstElementChild).focus();
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#speech.change(speaker);
		this.#items.change(speaker);
	}

	/**
	 * @param {Grant} grant
	 * @param {number} index
	 */
	#item(grant, index) {
		const name = isolated('tool', shortened(nameTokens(grant.toolName), headingName), this.#items);
		name.id = `grant-${index}`;
		const revoke = button('quiet', { 'aria-describedby': name.id });
		this.#items.text(revoke, 'revoke');
		revoke.addEventListener('click', () => this.#revoke(grant));
		const item = element('li', 'line', {}, name);
		if (grant.toolset) item.append(isolated('where', nameTokens(grant.toolset), this.#items));
		item.append(revoke);
		return item;
	}
}
