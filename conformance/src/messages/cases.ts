import type { Part } from '../case.js';

export const messagesCases: readonly Part[] = [];
