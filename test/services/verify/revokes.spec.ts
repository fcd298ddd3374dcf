import { setTimeout as delay } from 'node:timers/promises';
import { CreateKey, deploymentSlug, type KeyId, RevokeKey, SetAccountQuotas } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { ask, answerOf, ClientStream } from '../client-answer.js';
import { ClientRig, type Tenant } from '../client-rig.js';
import type { ServiceProcess } from '../service-process.js';

const REVOKES = 1_000;
/** Revokes under way at once. */
const AT_ONCE = 4;
/** Clients that keep both gateways and both workers busy meanwhile. */
const LOAD = 8;
const PROBE_PAUSE_MS = 5;
/** Refusals that are looked at after the first one: a key must not come back. */
const CONTROLS = 3;
const BOUND_MS = 1_000;

/** A request with the key, from its sending on. */
interface Probe {
  readonly at: number;
  readonly status: number;
}

interface Revoked {
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly propagated: boolean;
  /** By gateway. */
  readonly probes: readonly (readonly Probe[])[];
}

const percentile = (sorted: readonly number[], share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;

function row(what: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [0.5, 0.99, 1].map((share) => percentile(sorted, share).toFixed(1).padStart(8));
  return `${what.padEnd(44)}${String(times.length).padStart(6)}${figures.join('')}`;
}

const print = (lines: readonly string[]): void => void process.stdout.write(`${lines.join('\n')}\n`);

describe('revoking keys under load', () => {
  let rig: ClientRig<ServiceProcess>;
  let tenant: Tenant;
  let path: string;

  beforeAll(async () => {
    rig = await ClientRig.startProcesses();
    tenant = await rig.tenant();
    await rig.command(SetAccountQuotas, { account: tenant.account, quotas: { keys: 2 * REVOKES } });
    path = deploymentSlug(await rig.deployment(tenant.account, { slots: 64 }));
    await rig.whenServed({ path, key: tenant.key.value });
  }, 180_000);
  afterAll(() => rig?.end());

  /** A body without fields: 400 with a key that is good, and no work for anybody behind the gateway. */
  async function probe(gateway: string, key: string): Promise<Probe> {
    const at = performance.now();
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(`${gateway}/${path}/v1/chat/completions`, { method: 'POST', headers, body: '{}' });
    await response.arrayBuffer();
    return { at, status: response.status };
  }

  /** Probes until the key has been refused a few times in a row. */
  async function watch(gateway: string, key: string, probes: Probe[]): Promise<void> {
    const deadline = performance.now() + 30_000;
    while (probes.slice(-CONTROLS).filter(({ status }) => status === 401).length < CONTROLS && performance.now() < deadline) {
      probes.push(await probe(gateway, key));
      await delay(PROBE_PAUSE_MS);
    }
  }

  async function revoke({ id, value }: { id: KeyId; value: string }): Promise<Revoked> {
    const probes = rig.gateways.map((): Probe[] => []);
    const watches = rig.gateways.map((gateway, i) => watch(gateway, value, probes[i] ?? []));
    await until('both gateways admit the key', () => probes.every(([first]) => first?.status === 400));
    const askedAt = performance.now();
    const { propagated } = await rig.command(RevokeKey, { account: tenant.account, key: id });
    const answeredAt = performance.now();
    await Promise.all(watches);
    return { askedAt, answeredAt, propagated, probes };
  }

  async function revokeAll(): Promise<Revoked[]> {
    const keys: { id: KeyId; value: string }[] = [];
    for (let i = 0; i < REVOKES; i += 1) keys.push(await rig.command(CreateKey, { account: tenant.account, name: `key ${i}` }));
    const newest = keys.at(-1)?.value ?? '';
    await rig.whenServed({ path, key: newest });
    // The service says true once it has listened for long enough.
    const throwaway = await rig.command(CreateKey, { account: tenant.account, name: 'throwaway' });
    const address = { account: tenant.account, key: throwaway.id };
    await until('the service knows its gateways', async () => (await rig.command(RevokeKey, address)).propagated, 60_000);
    const done: Revoked[] = [];
    const worker = async (): Promise<void> => {
      for (let key = keys.pop(); key; key = keys.pop()) done.push(await revoke(key));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return done;
  }

  /** Keeps asking with a good key until `running` says no, and counts what is not answered well. */
  async function load(gateway: string, running: () => boolean): Promise<{ good: number; bad: number }> {
    const counts = { good: 0, bad: 0 };
    while (running()) {
      const { status } = await ask({ gateway, path, key: tenant.key.value });
      counts[status === 200 ? 'good' : 'bad'] += 1;
    }
    return counts;
  }

  it(`takes effect at two gateways within ${BOUND_MS} ms`, { timeout: 900_000 }, async () => {
    let running = true;
    const clients = Array.from({ length: LOAD }, (_, i) => load(rig.gateways[i % 2] ?? '', () => running));
    const revokes = await revokeAll().finally(() => (running = false));
    const counts = await Promise.all(clients);
    const sum = (kind: 'good' | 'bad'): number => counts.reduce((total, count) => total + count[kind], 0);

    const accepted = (since: (revoked: Revoked) => number) =>
      revokes.flatMap((revoked) => revoked.probes.flat().filter(({ at, status }) => status !== 401 && at > since(revoked)));
    const afterTrue = accepted(({ propagated, answeredAt }) => (propagated ? answeredAt : Number.POSITIVE_INFINITY));
    const afterBound = accepted(({ answeredAt }) => answeredAt + BOUND_MS);
    // From the sending of the command to the sending of the last request that was let in.
    const lastIn = rig.gateways.map((_, i) =>
      revokes.map(({ askedAt, probes }) => (probes[i]?.findLast(({ status }) => status !== 401)?.at ?? askedAt) - askedAt),
    );
    const confirmed = revokes.filter(({ propagated }) => propagated);
    print([
      `${REVOKES} revokes, ${AT_ONCE} at once, beside ${LOAD} clients (${sum('good')} answers, ${sum('bad')} bad ones)`,
      `${'milliseconds from the command'.padEnd(44)}${['n', 'p50', 'p99', 'max'].map((head, i) => head.padStart(i === 0 ? 6 : 8)).join('')}`,
      ...lastIn.map((times, i) => row(`to the last request let in at gateway ${i + 1}`, times)),
      row(
        'to the reply that it is applied everywhere',
        confirmed.map(({ askedAt, answeredAt }) => answeredAt - askedAt),
      ),
      `not confirmed within a second: ${revokes.length - confirmed.length}; let in after a confirmation: ${afterTrue.length}`,
    ]);
    expect(confirmed.length).toBeGreaterThan(0);
    expect(afterTrue).toEqual([]);
    expect(afterBound).toEqual([]);
    expect(sum('bad')).toBe(0);
  });

  it('ends running streams within 5 s with errors', { timeout: 120_000 }, async () => {
    const hold = rig.hold();
    const keys = [];
    for (let i = 0; i < 20; i += 1) keys.push(await rig.command(CreateKey, { account: tenant.account, name: `stream ${i}` }));
    const streams = [];
    for (const [i, { id, value }] of keys.entries()) {
      const gateway = rig.gateways[i % 2] ?? '';
      await answerOf('the key is good', { gateway, path, key: value }, ({ status }) => status === 200);
      streams.push({ id, stream: await ClientStream.open({ gateway, path, key: value, text: hold.text }) });
    }
    for (const { stream } of streams) await stream.whenSaid('first');
    const times = await Promise.all(
      streams.map(async ({ id, stream }) => {
        const askedAt = performance.now();
        await rig.command(RevokeKey, { account: tenant.account, key: id });
        await stream.whenOver();
        expect(stream.ending).toEqual({ error: 'invalid_api_key', clean: false });
        return performance.now() - askedAt;
      }),
    );
    print([row('to the end of a running stream', times)]);
    expect(Math.max(...times)).toBeLessThan(5_000);
  });
});
