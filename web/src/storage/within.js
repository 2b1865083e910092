/**
 * A storage of the page may hang; nothing waits for it without end.
 *
 * @module
 */

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} promise
 * @returns {Promise<T>} rejects when the time is over
 */
export function within(ms, promise) {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error('the storage does not answer')), ms);
		promise.then(resolve, reject).finally(() => clearTimeout(timer));
	});
}
