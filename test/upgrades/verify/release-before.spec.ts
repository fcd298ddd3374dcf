import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { ANSWER } from '../balanced-load.js';
import { UpgradedFleet } from '../fleet.js';
import { PRESENT, type Release, releaseBefore, whyNone } from '../two-releases.js';

const STREAMS = 24;
const MINUTES = 60_000;
const missing = await whyNone();

describe.skipIf(missing !== null)(`an upgrade from the release before${missing === null ? '' : `: ${missing}`}`, () => {
  let before: Release;
  let fleet: UpgradedFleet;
  beforeAll(async () => {
    before = await releaseBefore();
    fleet = await UpgradedFleet.start(before, STREAMS);
  }, 15 * MINUTES);
  afterAll(() => fleet?.end());

  const onlyWhole = (): void => expect(fleet.load.outcomes).toEqual({ whole: fleet.load.ended });

  /** Starts a gateway of the present state and waits for what its /readyz says. */
  async function refusedWith(words: RegExp): Promise<void> {
    const gateway = fleet.spawn('gateway', PRESENT);
    await until(`/readyz says ${words}`, async () => words.test((await gateway.readiness()).text), MINUTES, 100);
    expect((await gateway.readiness()).status).toBe(503);
    await gateway.end();
  }

  it('is refused by a gateway without the new nats.conf', () => refusedWith(/^nats\.conf is of an older release/), 3 * MINUTES);

  it(
    'is refused by a gateway that comes before keys-service',
    async () => {
      await fleet.loadNatsConf(PRESENT);
      await refusedWith(/^keys-service runs an older release, .+ this gateway is .+ needs it updated first/);
      onlyWhole();
    },
    3 * MINUTES,
  );

  it(
    'breaks no stream in the documented order',
    async () => {
      for (const app of ['deployments-service', 'keys-service', 'inference-worker', 'gateway'] as const) await fleet.roll(app, PRESENT);
      await fleet.answered(2 * STREAMS);
      onlyWhole();
    },
    10 * MINUTES,
  );

  it(
    'breaks no stream on the way back',
    async () => {
      for (const app of ['gateway', 'inference-worker', 'keys-service', 'deployments-service'] as const) await fleet.roll(app, before);
      await fleet.loadNatsConf(before);
      await fleet.answered(2 * STREAMS);
      onlyWhole();
    },
    10 * MINUTES,
  );

  it(
    'counts every request once, both ways',
    async () => {
      const counted = await fleet.counted();
      const requests = fleet.load.ended;
      expect(counted).toEqual({ requests, errors: 0, prompt: requests * ANSWER.prompt, completion: requests * ANSWER.tokens });
    },
    3 * MINUTES,
  );
});
