/**
 * Copying arguments so that nothing is lost and nothing is smuggled (S20):
 * the JSON that the server sent, with every character that the card draws as
 * a label written as an escape.
 *
 * @module
 */

// Inside JSON text such characters can stand in strings only; as white space
// between tokens JSON allows just space, tab, CR and LF, which stay.
const escaped = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u007f-\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufffc\ufffd]/gu;

/** @param {string} raw */
export function escapeForCopy(raw) {
	return raw.replace(escaped, (char) => {
		let out = '';
		for (let i = 0; i < char.length; i++) out += `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`;
		return out;
	});
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} false when the browser refused
 */
export async function writeClipboard(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copyByCommand(text); // no permission, or not a secure context
	}
}

/** @param {string} text */
function copyByCommand(text) {
	let written = false;
	/** @param {ClipboardEvent} event */
	const write = (event) => {
		if (!event.clipboardData) return;
		event.clipboardData.setData('text/plain', text);
		event.preventDefault();
		event.stopImmediatePropagation();
		written = true;
	};
	document.addEventListener('copy', write, { capture: true });
	try {
		return document.execCommand('copy') && written;
	} catch {
		return false;
	} finally {
		document.removeEventListener('copy', write, { capture: true });
	}
}
