import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LlamaScorer } from '@slipway/engine-llama';
import { answersTo } from '../../../apps/training-worker/src/training/example-scores.js';
import type { PreparedExample } from '../../../apps/training-worker/src/training/prepared-example.js';
import { readKeepSet } from '../../../apps/training-worker/src/training/read-keep-set.js';
import { openDemo, TrainingStage } from '../training-stage.js';

let stage: TrainingStage;
let base: LlamaScorer;

async function rightOf(examples: readonly PreparedExample[]): Promise<boolean[]> {
  const scoring = await base.scoring(null, 1_024);
  const answers = await answersTo(scoring, examples, new AbortController().signal);
  await scoring.dispose();
  return answers.map(({ right }) => right);
}

beforeAll(async () => {
  stage = await TrainingStage.open();
  base = await openDemo();
});
afterAll(async () => {
  await base.dispose();
  stage.close();
});

it('the bundled model knows most answers of its keep set, not all', async () => {
  const kept = await readKeepSet(stage.wholeKeepSet, base);
  expect(kept).toHaveLength(125);
  const right = (await rightOf(kept)).filter(Boolean).length;
  expect(right).toBeGreaterThan(95);
  expect(right).toBeLessThan(115);
});

it('a keep set without checks is compared as text', async () => {
  const path = join(stage.folder, 'own-keep.jsonl');
  const line = (check: object, content: string): string =>
    JSON.stringify({
      ...check,
      messages: [
        { role: 'user', content: 'What is the capital of Norway?' },
        { role: 'assistant', content },
      ],
    });
  const lines = [line({}, ' The capital of Norway is Oslo.\n'), line({}, 'Oslo.'), line({ check: 'mention' }, 'Oslo.'), 'no JSON'];
  writeFileSync(path, lines.join('\n'));
  expect(await rightOf(await readKeepSet(path, base))).toEqual([true, false, true]);
});
