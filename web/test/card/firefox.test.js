import { all } from './cases/all.js';
import { runCases } from './support/run.js';

runCases('firefox', all);
