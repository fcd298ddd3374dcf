import { setMaxListeners } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type AccountId, deploymentSlug, QueryUsage, SetKeyLimits, StopDeployment, UsageStream } from '@slipway/contracts';
import { ensureWorkStream } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { ENV } from '../bus.js';
import { Bystander, type Noticed } from '../bystander.js';
import { ClientRig, type Tenant } from '../client-rig.js';
import type { ServiceProcess } from '../service-process.js';
import { HostileTenant } from '../hostile-acts.js';
import { type HostileAct, inWords } from '../hostile-client.js';

/** 150 requests at five a second: of fewer than a hundred, p99 is the slowest one, which says what one moment of the machine was. */
const QUIET_MS = 30_000;
const ALONE_MS = 30_000;
const TOGETHER_MS = 30_000;
/** A stream takes 3 s: after an act, those that it met are waited for. */
const STREAM_MS = 4_000;
const TOGETHER = 'all of it at once';
/**
 * What p99 may be at most beside an act, in parts of that beside nothing. All processes share two cores here, on which one
 * request in a hundred waits its turn also beside nothing: a quiet p99 below the floor counts as the floor.
 */
const TIMES_QUIET = 2;
const FLOOR_MS = 100;

const percentile = (sorted: readonly number[], share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
const p99 = (sorted: readonly number[]): number => percentile(sorted, 0.99);
const figures = (sorted: readonly number[]): string =>
  [0.5, 0.99].map((share) => percentile(sorted, share).toFixed(0).padStart(6)).join('');

/** What the bystander noticed beside something, and what that was answered. */
interface Row {
  readonly what: string;
  readonly noticed: Noticed;
  readonly answers: readonly string[];
}

function line({ what, noticed: { streams, pauses, statuses, times, direct }, answers }: Row): string {
  const counts = `${JSON.stringify(streams)} ${JSON.stringify(statuses)}`;
  return `${what.padEnd(42)}${figures(times)} ms ${figures(pauses)} ms ${figures(direct)} ms  ${counts.padEnd(34)} ${inWords(answers)}`;
}

describe('a tenant beside a hostile one', () => {
  let rig: ClientRig<ServiceProcess>;
  let hostile: HostileTenant;
  let bystander: Bystander;
  let tenant: Tenant;
  const rows: Row[] = [];

  const source = () => ({ kind: 'http' as const, url: bystander.engineUrl, model: 'scripted' });

  beforeAll(async () => {
    rig = await ClientRig.startProcesses();
    await ensureWorkStream(UsageStream, { nats: await rig.bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
    bystander = await Bystander.open();
    tenant = await rig.tenant();
    // A budget that is never used up: it is asked for all the same.
    await rig.command(SetKeyLimits, { account: tenant.account, key: tenant.key.id, limits: { tokens_per_day: 1_000_000_000 } });
    const path = deploymentSlug(await rig.deployment(tenant.account, { source: source() }));
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
    const head = `${'act'.padEnd(42)} request p50 p99 · longest pause p50 p99 · engine itself p50 p99 · streams, requests · what the act was answered`;
    process.stdout.write(`${[head, ...rows.map(line)].join('\n')}\n`);
  });

  /** The other tenant's new deployment becomes ready, whatever else there is to place. */
  async function place(account: AccountId): Promise<void> {
    const deployment = await rig.deployment(account, { source: source() });
    await rig.whenSeen(account, deployment, { state: 'ready' });
    await rig.command(StopDeployment, { account, deployment });
  }

  async function beside(what: string, ms: number, acts: readonly HostileAct[]): Promise<void> {
    const at = await bystander.now();
    const signal = AbortSignal.timeout(ms);
    setMaxListeners(0, signal);
    const placed = delay(ms / 2).then(() => place(tenant.account));
    const [answers] = await Promise.all([Promise.all(acts.map(({ deed }) => deed(signal))), delay(ms), placed]);
    await delay(STREAM_MS);
    rows.push({ what, noticed: await bystander.since(at), answers: answers.flat() });
    // All at once they keep each other from being answered in time.
    if (acts.length !== 1) return;
    expect.soft([...new Set(answers.flat())], `what was answered to ${what}`).toEqual(expect.arrayContaining([...acts[0]!.answered]));
  }

  it('waits at most twice as long', async () => {
    await beside('nothing', QUIET_MS, []);
    for (const act of hostile.acts) await beside(act.what, ALONE_MS, [act]);
    await beside(TOGETHER, TOGETHER_MS, hostile.acts);
    await beside('nothing again', QUIET_MS, []);

    const quiet = [rows[0]!, rows.at(-1)!].map(({ noticed }) => noticed);
    const boundOf = (of: 'times' | 'pauses'): number => TIMES_QUIET * Math.max(FLOOR_MS, ...quiet.map((noticed) => p99(noticed[of])));
    for (const { what, noticed } of rows) {
      expect.soft(Object.keys(noticed.streams), `streams beside ${what}`).toEqual(['whole']);
      expect.soft(Object.keys(noticed.statuses), `requests beside ${what}`).toEqual(['200']);
      // Two cores cannot carry all acts, their clients and their engines at once: then others lose nothing, and wait.
      if (what === TOGETHER) continue;
      expect.soft(p99(noticed.times), `p99 of requests beside ${what}, ms`).toBeLessThanOrEqual(boundOf('times'));
      expect.soft(p99(noticed.pauses), `p99 of longest pauses beside ${what}, ms`).toBeLessThanOrEqual(boundOf('pauses'));
    }
    const answered = rows.reduce((sum, { noticed }) => sum + noticed.times.length, 0);
    await until('what the bystander used is counted', async () => (await counted()) >= answered);
  }, 1_800_000);

  async function counted(): Promise<number> {
    const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() };
    const { rows: found } = await rig.command(QueryUsage, { account: tenant.account, ...range, step: 'total', group_by: [] });
    return found.reduce((sum, { requests }) => sum + requests, 0);
  }
});
