/** Every case, in the order of the requirements. */

import { announcements } from './announcements.js';
import { content } from './content.js';
import { decisionsCases } from './decisions.js';
import { focus } from './focus.js';
import { gallery } from './gallery.js';
import { gesture } from './gesture.js';
import { keyboard } from './keyboard.js';
import { layout } from './layout.js';
import { structure } from './structure.js';
import { surroundings } from './surroundings.js';

export const all = [
	...structure, ...focus, ...keyboard, ...announcements, ...content, ...layout, ...decisionsCases, ...gesture, ...surroundings, ...gallery,
];
