import { setTimeout as delay } from 'node:timers/promises';
import { CreateKey, RevokeKey } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { TRUSTED_WRONGLY_MAX_MS } from '../follower.js';
import { ClientRig, type Tenant } from '../client-rig.js';
import type { ServiceProcess } from '../service-process.js';

const PROBE_PAUSE_MS = 10;
const PROBE_PATIENCE_MS = 10_000;
/** Refusals that are looked at after the first one: a key must not come back. */
const CONTROLS = 20;
/** An unused id: with a good key it is not found, and no worker is needed. */
const PATH = 'deployment-1/v1/chat/completions';

/** A request with the key: when it was sent, and whether the key was taken for good. */
interface Probe {
  readonly at: number;
  readonly said: 'good' | 'bad' | 'unknown';
}

describe('a key revoked while a NATS server', () => {
  let rig: ClientRig<ServiceProcess>;
  let tenant: Tenant;
  beforeAll(async () => {
    rig = await ClientRig.startProcesses(['keys-service', 'deployments-service', 'gateway', 'gateway'], 2);
    tenant = await rig.tenant();
  }, 180_000);
  afterAll(() => rig?.end());

  async function probe(gateway: string, key: string): Promise<Probe> {
    const at = performance.now();
    const signal = AbortSignal.timeout(PROBE_PATIENCE_MS);
    const response = await fetch(`${gateway}/${PATH}`, { method: 'POST', headers: { 'x-api-key': key }, signal, body: '{}' });
    const { error } = (await response.json()) as { error: { code: string } };
    if (error.code === 'auth_unavailable') return { at, said: 'unknown' };
    return { at, said: error.code === 'invalid_api_key' ? 'bad' : 'good' };
  }

  /** Probes until the key has been refused many times in a row. */
  async function watch(gateway: string, key: string, probes: Probe[]): Promise<void> {
    const deadline = performance.now() + 60_000;
    const isOver = (): boolean => probes.length >= CONTROLS && probes.slice(-CONTROLS).every(({ said }) => said === 'bad');
    while (!isOver() && performance.now() < deadline) {
      probes.push(await probe(gateway, key));
      await delay(PROBE_PAUSE_MS);
    }
  }

  it.each([
    ['is killed', 'kill', 'restart'],
    ['hangs', 'freeze', 'thaw'],
  ] as const)(
    '%s is refused at both gateways in time',
    async (_, fail, repair) => {
      for (const server of rig.bus.servers) {
        const { id, value } = await rig.command(CreateKey, { account: tenant.account, name: 'short life' });
        const probes = rig.gateways.map((): Probe[] => []);
        for (const gateway of rig.gateways)
          await until('the key is good', async () => (await probe(gateway, value)).said === 'good', 60_000);
        const watches = rig.gateways.map((gateway, i) => watch(gateway, value, probes[i]!));
        await server[fail]();
        await rig.command(RevokeKey, { account: tenant.account, key: id });
        const revokedAt = performance.now();
        await Promise.all(watches);
        const late = probes.map((all) => Math.max(0, ...all.filter(({ said }) => said === 'good').map(({ at }) => at - revokedAt)));
        process.stdout.write(`last let in, after the answer, by gateway: ${late.map((ms) => ms.toFixed(0)).join(' ms, ')} ms\n`);
        for (const ms of late) expect(ms).toBeLessThan(TRUSTED_WRONGLY_MAX_MS);
        for (const all of probes) expect(all.at(-1)?.said).toBe('bad');
        await server[repair]();
      }
    },
    240_000,
  );
});
