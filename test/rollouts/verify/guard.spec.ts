import { deploymentSlug, StartRollout } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { failures, RolloutRig } from '../rollout-rig.js';

let rig: RolloutRig;

beforeAll(async () => {
  rig = await RolloutRig.start(2);
}, 120_000);
afterAll(() => rig?.end(), 60_000);

it('a looping candidate is taken back unaided under load', async () => {
  const candidate = await rig.candidate('looping');
  rig.load();
  await rig.answered(rig.stable, 60);
  await rig.services.command(StartRollout, { ...rig.named, candidate, steps: [30], minutes: 60 });
  await rig.answered(deploymentSlug(candidate), 20);
  await until('the rollout was taken back', async () => (await rig.rollout()).state === 'rolled_back', 60_000);
  await until('gateways send all to stable', () => rig.sent.slice(-60).every(({ side }) => side === rig.stable), 30_000);
  await rig.rest();
  expect(failures(rig.sent)).toEqual([]);
  const { reason, figures, percent } = await rig.rollout();
  expect(reason).toMatch(/^Answers that ended at their token limit: 100 % \(\d+ of \d+\) of the candidate's, 0 %/);
  expect(percent).toBe(0);
  expect(figures).toMatchObject({ candidate: { errors: 0, answer_tokens: { p50: expect.closeTo(40, -1) as number } }, stable: { cut: 0 } });
  // Nothing is lost of what clients were answered.
  const answers = rig.sent.filter(({ side }) => side === deploymentSlug(candidate)).length;
  expect(answers).toBeGreaterThanOrEqual(figures!.candidate.requests);
}, 180_000);
