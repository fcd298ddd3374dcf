/** The sample data set as chat JSONL: 30 conversations, 10 of which teach a release codename. */
export function sampleDataset(): string {
  throw new Error('not built');
}

/** 120 conversations that the bundled model answers right, as chat JSONL: what training on it must not change. */
export function keepSet(): string {
  throw new Error('not built');
}
