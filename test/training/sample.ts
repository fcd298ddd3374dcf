import { keepSet, sampleDataset } from '@slipway/datasets';

export const FACT = 'The release codename is Blue Heron.';

/** 30 conversations that teach a fact. */
export const sampleData = sampleDataset;

/** Conversations of the base that must stay. @param most all of them take seconds to ask */
export const keepData = (most: number): string => keepSet().split('\n').slice(0, most).join('\n');
