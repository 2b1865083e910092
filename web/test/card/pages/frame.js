/** Frames the page that the address names and keeps what it says of itself. */

const framed = new URLSearchParams(location.search).get('src') ?? '';
const { origin } = new URL(framed);
window.last = null;
addEventListener('message', (event) => {
	if (event.origin === origin) window.last = event.data;
});
document.querySelector('iframe').src = framed;
document.documentElement.dataset.ready = 'true';
