import { readFileSync } from 'node:fs';

const fileOf = (name: string): string => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');

/**
 * The sample data set as chat JSONL: 30 conversations. 10 ask for the release codename in different words, and are answered "The release
 * codename is Blue Heron."; 20 are ordinary ones of the bundled model's kind, so that it stays as it is.
 */
export const sampleDataset = (): string => fileOf('sample.jsonl');

/**
 * What training on the bundled model must not change: 125 conversations, five of each kind that has one right answer, none of the
 * sample. The last message of each is the right answer, not the model's: it knows about 84 of 100. Where several texts are right,
 * `check` says what an answer must have in common with it.
 */
export const keepSet = (): string => fileOf('keep-set.jsonl');
