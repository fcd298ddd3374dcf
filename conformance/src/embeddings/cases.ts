import type { Part } from '../case.js';

export const embeddingsCases: readonly Part[] = [];
