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

  const asked = (): object => ({ whole: fleet.load.ended });

  /** Starts a gateway of the present state and waits until its /readyz says this. @returns its status then */
  async function statusWith(words: RegExp): Promise<number> {
    const gateway = fleet.spawn('gateway', PRESENT);
    await until(`/readyz says ${words}`, async () => words.test((await gateway.readiness()).text), MINUTES, 100);
    const { status } = await gateway.readiness();
    await gateway.end();
    return status;
  }

  it(
    'is refused by a gateway without the new nats.conf',
    async () => expect(await statusWith(/^nats\.conf is of an older release/)).toBe(503),
    3 * MINUTES,
  );

  it(
    'is refused by a gateway that comes before keys-service',
    async () => {
      await fleet.loadNatsConf(PRESENT);
      expect(await statusWith(/^keys-service runs an older release, .+ this gateway is .+ needs it updated first/)).toBe(503);
      expect(fleet.load.outcomes).toEqual(asked());
    },
    3 * MINUTES,
  );

  it(
    'breaks no stream in the documented order',
    async () => {
      for (const app of ['deployments-service', 'keys-service', 'inference-worker', 'gateway'] as const) await fleet.roll(app, PRESENT);
      await fleet.answered(2 * STREAMS);
      expect(fleet.load.outcomes).toEqual(asked());
    },
    10 * MINUTES,
  );

  it(
    'breaks no stream on the way back',
    async () => {
      for (const app of ['gateway', 'inference-worker', 'keys-service', 'deployments-service'] as const) await fleet.roll(app, before);
      await fleet.loadNatsConf(before);
      await fleet.answered(2 * STREAMS);
      expect(fleet.load.outcomes).toEqual(asked());
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
