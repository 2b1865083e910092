// The rows that the server's tools work on, as the playground shows them in its
// demo mode.

/** @param {HTMLElement} list */
export async function showPosts(list) {
	const response = await fetch('/debug/posts').catch(() => undefined);
	if (!response?.ok) return;
	const { posts } = await response.json();
	list.replaceChildren(...posts.map(row));
}

/** @param {{id: number, title: string}} post */
function row({ id, title }) {
	const item = document.createElement('li');
	const number = document.createElement('span');
	number.className = 'id';
	number.textContent = String(id);
	const words = document.createElement('bdi');
	words.textContent = title;
	item.append(number, words);
	item.dataset.post = String(id);
	return item;
}
