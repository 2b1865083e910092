/**
 * The page side of one question: builds its nodes once and sets what changes.
 * It decides nothing.
 *
 * @module
 */

import { CardBody, headingName, shortened, toolTokens } from './card-body.js';
import { CardFoot } from './card-foot.js';
import { element, setAttribute, show } from './dom.js';
import { Speech } from './speech.js';
import { isolated, tokensToText } from './tokens.js';

/**
 * @import { Confirmation } from './types.js'
 * @import { Speaker } from './locale.js'
 * @import { FootState } from './card-foot.js'
 * @import { Look } from './card-look.js'
 */

/**
 * @typedef {object} ViewOptions
 * @property {boolean} modal
 * @property {boolean} grant
 * @property {boolean} stop
 * @property {boolean} modelReason
 * @property {(task: () => void) => void} schedule
 * @property {() => void} onDrawn
 */

export class CardView {
	/** @readonly */
	node;
	/** @readonly */
	heading = element('h2', 'heading', { id: 'heading', tabindex: '-1' });
	/** @readonly @type {CardBody} */
	body;
	/** @readonly @type {CardFoot} */
	foot;
	#counter = element('span', 'counter');
	#argsLabel = element('span', '', { id: 'args-label', hidden: '' });
	#speech;

	/**
	 * @param {Confirmation} confirmation
	 * @param {Speaker} speaker
	 * @param {ViewOptions} options
	 */
	constructor(confirmation, speaker, options) {
		const speech = new Speech(speaker);
		this.#speech = speech;
		const name = toolTokens(confirmation);
		const scope = confirmation.grantKeeper === 'server' ? 'allowChatScopeKept' : 'allowChatScope';
		this.node = options.modal ? element('div', 'card')
			: element('section', 'card', { role: 'group', 'aria-labelledby': 'heading', 'aria-describedby': 'prompt' });
		this.#around(this.heading, 'heading', isolated('tool', shortened(name, headingName), speech));
		this.body = new CardBody(confirmation, speech, options);
		this.foot = new CardFoot(speech, {
			grant: options.grant, stop: options.stop, later: options.modal,
			scopeText: (node) => this.#around(node, scope, isolated('tool', shortened(name, headingName), speech)),
		});
		speech.run(this.#argsLabel, (s) => s.say('argumentsOf', { tool: tokensToText(shortened(name, headingName), s) }));
		const head = element('div', 'head', {}, this.heading, this.#counter);
		this.node.append(head, this.#argsLabel, this.body.node, this.foot.node);
	}

	/**
	 * @param {FootState & {look: Look, counter: [i: number, n: number] | null, decided: boolean}} state
	 */
	update(state) {
		setAttribute(this.node, 'data-look', state.look);
		show(this.#counter, state.counter !== null);
		if (state.counter) this.#speech.text(this.#counter, 'counter', { i: state.counter[0], n: state.counter[1] });
		this.#speech.text(this.body.prompt, state.decided ? 'promptDecided' : 'prompt');
		this.foot.update(state);
	}

	/** @param {Speaker} speaker */
	speak(speaker) {
		this.#speech.change(speaker);
		this.body.speak(speaker);
	}

	dispose() {
		this.body.dispose();
		this.node.remove();
	}

	/**
	 * A sentence around the tool's name.
	 *
	 * @param {HTMLElement} node
	 * @param {'heading' | 'allowChatScope' | 'allowChatScopeKept'} key
	 * @param {HTMLElement} name
	 */
	#around(node, key, name) {
		const before = document.createTextNode('');
		const after = document.createTextNode('');
		this.#speech.run(before, (speaker) => speaker.around(key, 'tool')[0]);
		this.#speech.run(after, (speaker) => speaker.around(key, 'tool')[1]);
		node.append(before, name, after);
	}
}

