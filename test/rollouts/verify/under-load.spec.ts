import { AdvanceRollout, deploymentSlug, PromoteRollout, RollBackRollout, StartRollout } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { failures, RolloutRig, type Sent } from '../rollout-rig.js';

/** How long after a roll back has been answered a request may still begin on the candidate, in milliseconds. */
const BACK_MS = 1_000;

describe('a rollout at three gateways', () => {
  let rig: RolloutRig;
  let candidate: Awaited<ReturnType<RolloutRig['candidate']>>;
  let slug: string;

  beforeAll(async () => {
    rig = await RolloutRig.start(3);
    candidate = await rig.candidate('good');
    slug = deploymentSlug(candidate);
  }, 120_000);
  afterAll(() => rig?.end(), 60_000);

  it('goes from 5 to 100 % without a failed request', async () => {
    rig.load();
    await rig.answered(rig.stable, 60);
    /** When each step was settled at all gateways, and when the next one was asked for. */
    const steps: { readonly from: number; readonly to: number }[] = [];
    await rig.services.command(StartRollout, { ...rig.named, candidate, steps: [5, 25, 50, 100], minutes: null });
    for (const step of [0, 1, 2]) {
      const from = performance.now() + BACK_MS;
      await until('all gateways have the step', () => (rig.sent.at(-1)?.at ?? 0) > from, 30_000);
      await rig.answered(slug, 5);
      await rig.answered(rig.stable, 120);
      steps.push({ from, to: performance.now() });
      await rig.services.command(AdvanceRollout, { ...rig.named, from_step: step });
    }
    await until('all requests reach the candidate', () => rig.sent.slice(-80).every(({ side }) => side === slug), 30_000);
    await rig.rest();
    expect((await rig.rollout()).state).toBe('promoted');
    expect(failures(rig.sent)).toEqual([]);
    staysOrMoves(rig.sent, slug);
    // Within a step each conversation is on one side.
    for (const { from, to } of steps) {
      const sides = new Map<number, Set<string>>();
      const steady = rig.sent.filter(({ at }) => at > from && at < to);
      for (const { conversation, side } of steady) sides.set(conversation, (sides.get(conversation) ?? new Set()).add(side));
      expect([...sides.values()].filter(({ size }) => size > 1)).toEqual([]);
      expect(steady.length).toBeGreaterThan(100);
    }
  }, 180_000);

  it('is rolled back within a second at every gateway', async () => {
    for (const end of ['promoted', 'running']) {
      rig.load();
      if (end === 'running') {
        await rig.services.command(StartRollout, { ...rig.named, candidate, steps: [80], minutes: null });
      }
      await rig.answered(slug, 30);
      await rig.services.command(RollBackRollout, { ...rig.named, reason: end });
      const answered = performance.now();
      await rig.answered(rig.stable, 120);
      await rig.rest();
      const late = rig.sent.filter(({ side, at }) => side === slug && at > answered + BACK_MS);
      expect(late).toEqual([]);
      expect(failures(rig.sent)).toEqual([]);
    }
  }, 180_000);

  it('may be promoted at once, and taken back', async () => {
    await rig.services.command(StartRollout, { ...rig.named, candidate, minutes: null });
    rig.load();
    await rig.services.command(PromoteRollout, rig.named);
    await rig.answered(slug, 60);
    await rig.services.command(RollBackRollout, rig.named);
    await until('all requests reach stable', () => rig.sent.slice(-60).every(({ side }) => side === rig.stable), 30_000);
    await rig.rest();
    expect(failures(rig.sent)).toEqual([]);
  }, 120_000);
});

/** No conversation returns from the candidate while the share rises. Requests that overlap have no order. */
function staysOrMoves(sent: readonly Sent[], candidate: string): void {
  const ended = new Map<number, number>();
  for (const { conversation, side, at } of sent) {
    const moved = ended.get(conversation);
    if (side === candidate) ended.set(conversation, moved ?? at);
    // Gateways learn of a step one after another, within the bound of the feed.
    else if (moved !== undefined) expect(at).toBeLessThan(moved + BACK_MS);
  }
}
