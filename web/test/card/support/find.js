/**
 * Where the system keeps a browser.
 *
 * @module
 */

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const beside = ['/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1', '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0', '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1'];

/**
 * @param {...string} names of a program
 * @returns {string | null}
 */
export function find(...names) {
	for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...beside]) {
		for (const name of names) {
			const file = join(folder, name);
			try {
				accessSync(file, constants.X_OK);
				return file;
			} catch {
				// not here
			}
		}
	}
	return null;
}
