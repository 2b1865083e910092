// The demo page: a chat whose tools wait for the person's word.
import { load } from '/dist/index.js';
import { bindComposerLock } from '/dist/card/index.js';
import { ChatView } from './chat-view.js';
import { Histories } from './histories.js';
import { Notes } from './notes.js';
import { showPosts } from './posts.js';
import { asgard, channelOptions, dress, lookAgain, openChannel } from './protocol.js';
import { leaveStored } from './stored.js';
import { tokenHeaders } from './token.js';

/**
 * @import { SvedaChatSession, SvedaClient } from '../src/index.js'
 */

/** @template {HTMLElement} T @param {string} id @returns {T} */
const find = (id) => /** @type {T} */ (document.getElementById(id));

const app = find('app');
const composer = /** @type {HTMLFormElement} */ (find('composer'));
const text = /** @type {HTMLTextAreaElement} */ (find('text'));
const send = /** @type {HTMLButtonElement} */ (find('send'));
const stop = /** @type {HTMLButtonElement} */ (find('stop'));
const problem = find('problem');
const title = find('title');
const meta = find('meta');
const goOn = find('continue');
const locked = find('locked');
const card = /** @type {HTMLElement & {session: unknown, composer: unknown}} */ (find('confirmation'));

dress(card, find('protocols'));
const chatView = new ChatView(find('log'), find('welcome'), card);
const notes = new Notes(find('notes'), find('archived'));

/** @type {SvedaClient} */
let client;
/** @type {SvedaChatSession} */
let session;
/** @type {(() => void)[]} */
let leave = [];
/** @type {Histories | undefined} Asgard has no list of channels */
let histories;

/** @param {unknown} error */
function showProblem(error) {
	const { message, serverMessage } = /** @type {{message?: string, serverMessage?: string}} */ (error ?? {});
	problem.hidden = message === undefined;
	problem.textContent = serverMessage || message || '';
}

/** Shows what the session says, once per frame while text streams. */
function show() {
	const { messages, confirmations, confirmationPending, isStreaming, chatId } = session.getSnapshot();
	chatView.show(messages, confirmations, isStreaming);
	send.disabled = confirmationPending || isStreaming;
	stop.hidden = !isStreaming;
	send.hidden = isStreaming;
	if (messages.length > 0 && location.hash !== `#${encodeURIComponent(chatId)}`) {
		history.replaceState(null, '', `#${encodeURIComponent(chatId)}`);
	}
}

/** @param {SvedaChatSession} next @param {string} name */
function enter(next, name) {
	for (const off of leave) off();
	const comeBack = leaveStored(); // before the card takes its room
	chatView.clear();
	session = next;
	card.session = session;
	card.composer = text;
	title.textContent = name;
	meta.textContent = '';
	goOn.hidden = true;
	showProblem(undefined);
	leave = [
		session.subscribe(show),
		bindComposerLock(session, text, locked, { onChange: (is) => (locked.hidden = !is) }),
		session.on('title', (to) => (title.textContent = to)),
		session.on('error', showProblem),
		session.on('contextUsage', ({ percent }) => (meta.textContent = `${percent} % of the context used`)),
		session.on('maxSteps', () => (goOn.hidden = false)),
		session.on('status', (status) => {
			if (status === 'submitted') {
				showProblem(undefined);
				goOn.hidden = true;
			}
			if (status === 'idle' || status === 'error') {
				void showPosts(find('posts'));
				void histories?.refresh(session.chatId);
			}
		}),
	];
	show();
	if (comeBack) {
		comeBack();
		chatView.scrolled();
	}
	void histories?.refresh(session.chatId);
}

/** @param {string} chatId */
async function openChat(chatId) {
	if (asgard) {
		await openChannel(client, chatId, (channel) => enter(channel, 'Channel')).catch(showProblem);
		return;
	}
	try {
		const stored = await client.getHistory(chatId);
		const next = client.session(chatId);
		next.setMessages(stored.messages);
		enter(next, stored.title);
	} catch (error) {
		enter(client.createSession(), 'New chat');
		if (/** @type {{status?: number}} */ (error).status !== 404) showProblem(error);
	}
	showView('chat');
}

function newChat() {
	history.replaceState(null, '', location.pathname + location.search);
	enter(client.createSession(), 'New chat');
	showView('chat');
	text.focus();
}

/** @param {string} words */
async function say(words) {
	if (words.trim() === '') return;
	text.value = '';
	try {
		await session.send(words);
	} catch (error) {
		// Failures of a running turn are shown by the event "error".
		if (!session.messages.some((message) => message.role === 'user' && message.parts.some((part) => 'text' in part && part.text === words))) {
			text.value = words;
			showProblem(error);
		}
	}
}

/** @param {string} name */
function showView(name) {
	app.dataset.view = name;
	for (const button of document.querySelectorAll('[data-shows]')) {
		button.toggleAttribute('aria-current', /** @type {HTMLElement} */ (button).dataset.shows === name);
	}
}

composer.addEventListener('submit', (event) => {
	event.preventDefault();
	if (!send.disabled) void say(text.value);
});
text.addEventListener('keydown', (event) => {
	// Enter that commits an IME candidate is not a wish to send (S30).
	if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
	event.preventDefault();
	composer.requestSubmit();
});
stop.addEventListener('click', () => void session.stop());
goOn.addEventListener('click', () => void session.continueAfterMaxSteps().catch(() => {}));
find('new-chat').addEventListener('click', newChat);
find('chips').addEventListener('click', (event) => {
	const chip = /** @type {HTMLElement} */ (event.target).closest('button');
	if (chip && !send.disabled) void say(chip.textContent ?? '');
});
for (const button of document.querySelectorAll('[data-shows]')) {
	button.addEventListener('click', () => showView(/** @type {HTMLElement} */ (button).dataset.shows ?? 'chat'));
}

try {
	const { SvedaClient } = await load();
	client = new SvedaClient(asgard ? channelOptions : { headers: tokenHeaders, tools: notes.tools() });
	client.contextRegistry.register('page', 'the demo of svedawasm');
	client.contextRegistry.register('selected notes', () => notes.selected().length);
	if (!asgard) histories = new Histories(client, find('histories'), find('no-histories'), openChat, newChat);
	else lookAgain(() => session);
	const wanted = decodeURIComponent(location.hash.slice(1));
	if (wanted === '') enter(client.createSession(), 'New chat');
	else await openChat(wanted);
	void showPosts(find('posts'));
	text.disabled = false;
	/** @type {HTMLButtonElement} */ (find('new-chat')).disabled = false;
	document.documentElement.dataset.ready = '';
	// For tests and for a look from the console.
	Object.assign(globalThis, { demo: { client, get session() { return session; } } });
} catch (error) {
	showProblem(error);
	title.textContent = 'Not loaded';
	const again = find('again');
	again.hidden = false;
	again.addEventListener('click', () => location.reload());
} finally {
	composer.removeAttribute('aria-busy');
}
