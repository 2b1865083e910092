// A list on the page that tools of the browser work on.

/** @import { Tool } from '../src/registry.js' */

const start = ['Quarterly report', 'Ideas for the autumn', 'Meeting with the printer', 'Old price list', 'Travel plan', 'Letter to the editor'];

export class Notes {
	#list;
	#status;
	#archived = 0;

	/**
	 * @param {HTMLElement} list
	 * @param {HTMLElement} status
	 */
	constructor(list, status) {
		this.#list = list;
		this.#status = status;
		start.forEach((title, i) => list.append(row(`note-${i + 1}`, title)));
	}

	/** What is selected now. */
	selected() {
		return [...this.#list.querySelectorAll('input')]
			.filter((box) => box.checked)
			.map((box) => ({ id: box.value, title: box.dataset.title }));
	}

	/** Takes the selected notes off the list. */
	archive() {
		const items = this.selected();
		if (items.length === 0) return { success: false, error: 'Nothing is selected.' };
		for (const { id } of items) this.#list.querySelector(`[value="${id}"]`)?.closest('li')?.remove();
		this.#archived += items.length;
		this.#status.textContent = `${this.#archived} archived`;
		return { success: true, archived: items };
	}

	/** @returns {Tool[]} */
	tools() {
		return [
			{
				name: 'get_selection',
				description: 'Read which notes are selected on the page',
				parameters: { type: 'object', properties: {} },
				handler: () => ({ items: this.selected() }),
			},
			{
				name: 'archive_selection',
				description: 'Archive the notes that are selected on the page',
				confirmation: 'required',
				parameters: { type: 'object', properties: {} },
				mode: 'write',
				handler: () => this.archive(),
			},
		];
	}
}

/** @param {string} id @param {string} title */
function row(id, title) {
	const item = document.createElement('li');
	const label = document.createElement('label');
	const box = document.createElement('input');
	box.type = 'checkbox';
	box.value = id;
	box.dataset.title = title;
	label.append(box, title);
	item.append(label);
	return item;
}
