/** Every case, in the order of the requirements. */

import { focus } from './focus.js';
import { structure } from './structure.js';

export const all = [...structure, ...focus];
