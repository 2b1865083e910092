// A LockManager for Node, with what a browser's does that matters here.

/**
 * @typedef {{name: string, abort: (error: Error) => void, release: () => void}} Held
 */

export class FakeLocks {
	/** @type {Map<string, Held>} */ held = new Map();
	/** @type {{name: string, grant: () => void}[]} */ pending = [];

	/**
	 * @param {string} name
	 * @param {{ifAvailable?: boolean, signal?: AbortSignal, steal?: boolean}} options
	 * @param {(lock: object | null) => Promise<unknown> | undefined} work
	 */
	async request(name, options, work) {
		if (options.steal) this.held.get(name)?.abort(new DOMException('stolen', 'AbortError'));
		if (this.held.has(name)) {
			if (options.ifAvailable) return work(null);
			await new Promise((resolve, reject) => {
				const waiter = { name, grant: () => resolve(undefined) };
				this.pending.push(waiter);
				const give = () => {
					this.pending = this.pending.filter((other) => other !== waiter);
					reject(new DOMException('aborted', 'AbortError'));
				};
				if (options.signal?.aborted) give();
				options.signal?.addEventListener('abort', give);
			});
		}
		return new Promise((resolve, reject) => {
			const release = () => {
				if (this.held.get(name) !== held) return;
				this.held.delete(name);
				const next = this.pending.findIndex((waiter) => waiter.name === name);
				if (next >= 0) this.pending.splice(next, 1)[0].grant();
			};
			/** @type {Held} */
			const held = {
				name, release,
				abort: (error) => {
					release();
					reject(error);
				},
			};
			this.held.set(name, held);
			Promise.resolve(work({ name, mode: 'exclusive' })).then(
				(value) => {
					release();
					resolve(value);
				},
				(error) => {
					release();
					reject(error);
				},
			);
		});
	}

	async query() {
		return { held: [...this.held.values()].map(({ name }) => ({ name })), pending: this.pending.map(({ name }) => ({ name })) };
	}

	/** Ends a page as a crash does: its locks are free. @param {string} page */
	kill(page) {
		for (const held of [...this.held.values()]) if (held.name.includes(page)) held.release();
	}
}
