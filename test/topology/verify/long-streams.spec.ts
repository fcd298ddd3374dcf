import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerMissing } from '../docker-stack.js';
import { SlowStack } from '../slow-stack.js';

const missing = dockerMissing();
if (missing !== null) process.stdout.write(`Long streams do not run here: ${missing}.\n`);
const MINUTES = 60_000;
/** Length of the long streams, in seconds: what a gateway or worker waits for before it ends. */
const LONG_S = Number(process.env['SLIPWAY_LONG_S'] ?? 600);
const DRAIN_S = LONG_S + 60;
const report = (what: string, found: object): void => void process.stdout.write(`${what}: ${JSON.stringify(found)}\n`);

let stack: SlowStack;

describe.skipIf(missing !== null)('streams of ten minutes', () => {
  beforeAll(async () => {
    stack = await SlowStack.start({ STREAMS_DRAIN_MS: String(DRAIN_S * 1_000), STREAMS_GRACE: `${DRAIN_S + 30}s` });
  }, 40 * MINUTES);
  afterAll(() => stack?.remove(), 20 * MINUTES);

  it(
    'outlive a roll of every service and node',
    async () => {
      const streams = stack.load();
      await streams.keep(20, 6);
      await streams.keep(20, LONG_S);
      await pause(10_000);
      const rolled = async (name: string, roll: (name: string) => Promise<void>): Promise<void> => {
        const from = performance.now();
        await roll(name);
        report(`rolled ${name}`, { seconds: Math.round((performance.now() - from) / 1_000), ...streams.result });
      };
      const service = (name: string): Promise<void> => stack.roll(name, DRAIN_S + 30);
      for (const name of ['keys-service', 'deployments-service', 'console']) await rolled(name, service);
      for (const name of ['nats-1', 'nats-2', 'nats-3']) await rolled(name, (node) => stack.rollNats(node));
      // Each waits for the streams that it has: one gateway and one worker at a time.
      const gateways = rolled('gateway-1', service).then(() => rolled('gateway-2', service));
      await Promise.all([gateways, rolled('worker', service)]);
      const result = await streams.end();
      const ledger = { answered: stack.answered, counted: await stack.counted() };
      report('long streams', { ...result, ...ledger });
      expect([result.broken, result.refused]).toEqual([[], []]);
      expect(ledger.counted).toBe(ledger.answered);
    },
    120 * MINUTES,
  );
});
