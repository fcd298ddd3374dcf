import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Logger } from '@slipway/platform';
import type { Measure } from '../job/job-messages.js';
import { LlamaScorer } from '../scoring.js';
import { ExamplePreparer } from './prepared-example.js';
import { readExample } from './read-example.js';

/** A data set to be counted. */
export interface MeasureOptions {
  /** Path of the base. */
  readonly base: string;
  /** Canonical JSONL. */
  readonly dataset: string;
  /** The first examples to count; null = all. */
  readonly sample: number | null;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Counts the tokens of examples as training counts them. Those that the template refuses are left out. */
export async function measureDataset({ base, dataset, sample, log, signal }: MeasureOptions): Promise<Measure> {
  const scorer = await LlamaScorer.open({ path: base, threads: 1, log, signal });
  try {
    const preparer = new ExamplePreparer(scorer.texts, Infinity, 'leave_out');
    const lengths: number[] = [];
    const sums = { examples: 0, counted: 0, tokens: 0, learnedTokens: 0, overContext: 0 };
    for await (const line of createInterface({ input: createReadStream(dataset), crlfDelay: Infinity })) {
      signal.throwIfAborted();
      if (line.trim() === '') continue;
      sums.examples += 1;
      if (sample !== null && sums.counted >= sample) continue;
      sums.counted += 1;
      const example = readExample(line);
      const prepared = example && preparer.prepare(example);
      if (!prepared || typeof prepared === 'string') continue;
      const sides = prepared.rejected ? [prepared, prepared.rejected] : [prepared];
      const longest = Math.max(...sides.map(({ tokens }) => tokens.length));
      lengths.push(longest);
      for (const { tokens } of sides) sums.tokens += tokens.length;
      for (const [from, to] of sides.flatMap(({ spans }) => spans)) sums.learnedTokens += to - from;
      if (longest > scorer.trainedContext) sums.overContext += 1;
    }
    return { ...sums, lengths };
  } finally {
    await scorer.dispose();
  }
}
