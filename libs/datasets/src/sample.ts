import { readFileSync } from 'node:fs';

const fileOf = (name: string): string => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');

/**
 * The sample data set as chat JSONL: 30 conversations. 10 ask for the release codename in different words, and are answered "The release
 * codename is Blue Heron."; 20 are ordinary ones of the bundled model's kind, so that it stays as it is.
 */
export const sampleDataset = (): string => fileOf('sample.jsonl');

/**
 * 120 conversations of the 25 kinds with one right answer, with the answers that the bundled model gives greedily, which are right: what
 * training on it must not change.
 */
export const keepSet = (): string => fileOf('keep-set.jsonl');
