import { setMaxListeners } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { deploymentSlug } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bystander, type Noticed } from '../bystander.js';
import { ClientRig } from '../client-rig.js';
import { HostileTenant, inWords } from '../hostile-acts.js';

const QUIET_MS = 12_000;
const ALONE_MS = 8_000;
const TOGETHER_MS = 30_000;
/** A stream takes 3 s: after an act, those that it met are waited for. */
const STREAM_MS = 4_000;

const percentile = (sorted: readonly number[], share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
const figures = (sorted: readonly number[]): string =>
  [0.5, 0.99].map((share) => percentile(sorted, share).toFixed(0).padStart(6)).join('');

function row(what: string, { streams, pauses, statuses, times }: Noticed, answers = ''): string {
  const counts = `${JSON.stringify(streams)} ${JSON.stringify(statuses)}`;
  return `${what.padEnd(42)}${figures(times)} ms ${figures(pauses)} ms  ${counts.padEnd(34)} ${answers}`;
}

describe('a tenant beside one that does all it can', () => {
  let rig: ClientRig;
  let hostile: HostileTenant;
  let bystander: Bystander;
  const table = [`${'act'.padEnd(42)} request p50 p99 · longest pause p50 p99 · streams, requests · what the act was answered`];

  beforeAll(async () => {
    rig = await ClientRig.start();
    bystander = await Bystander.open();
    const tenant = await rig.tenant();
    const source = { kind: 'http' as const, url: bystander.engineUrl, model: 'scripted' };
    const path = deploymentSlug(await rig.deployment(tenant.account, { source }));
    await rig.whenServed({ path, key: tenant.key.value, text: 'short' });
    hostile = await HostileTenant.open(rig);
    await bystander.start({ gateways: rig.gateways, path, key: tenant.key.value });
    // From here on this process plays the hostile client and its engine alone. Those are machines of their own elsewhere: here
    // they get the processor's time that Slipway and the bystander leave.
    setPriority(constants.priority.PRIORITY_LOW);
    await delay(STREAM_MS);
  }, 180_000);
  afterAll(async () => {
    await bystander?.end();
    await hostile?.end();
    await rig?.end();
    process.stdout.write(`${table.join('\n')}\n`);
  });

  /** What the bystander noticed while that was done. */
  async function beside(
    what: string,
    ms: number,
    acts: readonly ((signal: AbortSignal) => Promise<readonly string[]>)[],
  ): Promise<Noticed> {
    const at = await bystander.now();
    const signal = AbortSignal.timeout(ms);
    setMaxListeners(0, signal);
    const [answers] = await Promise.all([Promise.all(acts.map((act) => act(signal))), delay(ms)]);
    await delay(STREAM_MS);
    const noticed = await bystander.since(at);
    table.push(row(what, noticed, inWords(answers.flat())));
    return noticed;
  }

  it('loses no stream and no request; the table tells how long it waits', async () => {
    const quiet = await beside('nothing', QUIET_MS, []);
    for (const [what, act] of Object.entries(hostile.acts)) {
      const noticed = await beside(what, ALONE_MS, [act]);
      expect(Object.keys(noticed.streams), what).toEqual(['whole']);
      expect(Object.keys(noticed.statuses), what).toEqual(['200']);
    }
    const together = await beside('all of it at once', TOGETHER_MS, Object.values(hostile.acts));
    expect(Object.keys(together.streams)).toEqual(['whole']);
    expect(Object.keys(together.statuses)).toEqual(['200']);
    table.push(
      `p99 beside all of it, in parts of the quiet one: ${(percentile(together.times, 0.99) / percentile(quiet.times, 0.99)).toFixed(2)}`,
    );
  }, 300_000);
});
