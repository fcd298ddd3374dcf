import type { Part } from '../case.js';

export const responsesCases: readonly Part[] = [];
