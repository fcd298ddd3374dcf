import { DatasetId, type JobPlan, VersionNumber } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { planText } from './plan-text.js';

const plan: JobPlan = {
  ...{ base: 'tiny', trainer: 'embedded', dataset: DatasetId.parse(1), version: VersionNumber.parse(1), settings: [] },
  ...{ examples: 30, held_out: 0, left_out: 0, steps: 240, learned_tokens: 3_500, seconds: null },
  memory_bytes: 344_981_504,
  placement: 'It would start at once on host-1.',
  warnings: [{ code: 'no_memory', message: 'The job takes about 0.32 GiB of memory.' }],
};

it('a plan says what memory it takes, and warns', () => {
  expect(planText(plan)).toMatch(/Memory +about 329 MiB/);
  expect(planText(plan)).toContain('Warning: The job takes about 0.32 GiB of memory.');
  expect(planText({ ...plan, memory_bytes: null })).toMatch(/Memory +unknown/);
});
