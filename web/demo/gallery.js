/**
 * Every state of the card, in every language and theme, and the arguments of
 * an attacker. What is shown can be chosen by the page's controls or by its
 * address: `gallery.html?lang=ar&theme=dark&show=states`.
 *
 * @module
 */

import { languages } from '/dist/card/index.js';
import { hostileCards, stateCards, themeCards } from './gallery-cards.js';

const shows = /** @type {const} */ ({ states: stateCards, arguments: hostileCards, themes: themeCards });
const themes = ['light', 'dark', 'auto'];

const query = new URLSearchParams(location.search);
const settings = {
	lang: pick(query.get('lang'), languages(), 'en'),
	theme: pick(query.get('theme'), themes, 'light'),
	show: /** @type {keyof typeof shows} */ (pick(query.get('show'), Object.keys(shows), 'states')),
};

/**
 * @param {string | null} value
 * @param {readonly string[]} known
 * @param {string} otherwise
 */
function pick(value, known, otherwise) {
	return value !== null && known.includes(value) ? value : otherwise;
}

/**
 * @param {string} name
 * @param {readonly string[]} values
 */
function fillSelect(name, values) {
	const select = /** @type {HTMLSelectElement} */ (document.querySelector(`select[name="${name}"]`));
	select.replaceChildren(...values.map((value) => new Option(value, value)));
	select.value = settings[/** @type {keyof typeof settings} */ (name)];
	select.addEventListener('change', () => {
		const next = new URLSearchParams({ ...settings, [name]: select.value });
		location.search = next.toString();
	});
}

fillSelect('lang', languages());
fillSelect('theme', themes);
fillSelect('show', Object.keys(shows));
document.documentElement.dataset.theme = settings.theme;

const fixtures = await (await fetch(new URL('./fixtures/arguments.json', import.meta.url))).json();
const main = /** @type {HTMLElement} */ (document.querySelector('main'));
for (const { title, note, cards } of shows[settings.show](fixtures)) {
	const article = document.createElement('article');
	const heading = document.createElement('h2');
	heading.textContent = title;
	article.id = `case-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
	article.append(heading);
	if (note) {
		const paragraph = document.createElement('p');
		paragraph.textContent = note;
		article.append(paragraph);
	}
	for (const card of cards) {
		card.setAttribute('lang', settings.lang);
		card.setAttribute('theme', settings.theme);
		article.append(card);
	}
	main.append(article);
}
// The reason step takes the focus, which would scroll a long page to it.
await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
/** @type {HTMLElement | null} */ (document.activeElement)?.blur();
scrollTo(0, 0);
document.getElementById(location.hash.slice(1))?.scrollIntoView();
document.documentElement.dataset.ready = 'true';
