/**
 * What the card takes from its surroundings: time. Tests put a clock of their
 * own in its place by a subclass with `static ports`.
 *
 * @module
 */

/**
 * @typedef {object} Ports
 * @property {() => number} now monotonic, in milliseconds; wall clocks jump (S21)
 * @property {(event: Event) => number} timeOf when the input behind an event happened, on the same clock
 * @property {(task: () => void, ms: number) => unknown} setTimeout
 * @property {(id: any) => void} clearTimeout
 * @property {(ms: number, task: () => void) => (() => void)} every returns what ends it
 * @property {(task: () => void) => void} schedule runs a task later, with input and painting in between
 */

/** @type {Ports} */
export const browserPorts = {
	now: () => performance.now(),
	// A click may wait behind a long task: what counts is when it was made, not
	// when it is handled.
	timeOf(event) {
		const now = performance.now();
		return event.timeStamp > 0 ? Math.min(now, event.timeStamp) : now;
	},
	setTimeout: (task, ms) => setTimeout(task, ms),
	clearTimeout: (id) => clearTimeout(id),
	every(ms, task) {
		const id = setInterval(task, ms);
		return () => clearInterval(id);
	},
	schedule(task) {
		const channel = new MessageChannel();
		channel.port1.onmessage = () => {
			channel.port1.close();
			task();
		};
		channel.port2.postMessage(null);
	},
};
