import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { LlamaScorer } from '../scoring.js';
import { ExamplePreparer, type PreparedExample } from './prepared-example.js';
import { readExample } from './read-example.js';
import { ANSWER_CHECKS } from './right-answer.js';

/** Conversations of a keep set that are asked. */
const KEPT_MAX = 200;

const Checked = z.object({ check: z.enum(ANSWER_CHECKS).default('text') });

/**
 * Reads a keep set: chat JSONL in which the last assistant message of each conversation is the reference of its answer. `check` says
 * how the two are compared, where they need not be the same text; data sets of users have none.
 * @returns at most 200 conversations; without those that do not fit into the base's context
 */
export async function readKeepSet(path: string, { texts, trainedContext }: LlamaScorer): Promise<PreparedExample[]> {
  const preparer = new ExamplePreparer(texts, trainedContext, 'leave_out');
  const kept: PreparedExample[] = [];
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) {
    const example = kept.length < KEPT_MAX ? readExample(line) : null;
    const prepared = example && preparer.prepare(example);
    if (prepared && typeof prepared !== 'string') kept.push({ ...prepared, ...Checked.parse(JSON.parse(line)) });
  }
  return kept;
}
