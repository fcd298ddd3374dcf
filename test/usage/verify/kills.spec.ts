import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { open, PROMPT_TOKENS, type Script, send, type Tenant, UsageRig } from '../usage-rig.js';
import type { ServiceProcess } from '../../services/service-process.js';

/** Sends requests one after the other to every live gateway until it is stopped, and counts the complete answers. */
class Load {
  complete = 0;
  #stopped = false;
  #running: Promise<void>[];

  constructor(rig: UsageRig, tenant: Tenant, script: Script) {
    this.#running = [0, 1].map(async () => {
      while (!this.#stopped) {
        for (const gateway of rig.processes('gateway')) {
          const answer = await send(rig.addressOf(gateway), tenant, script, { api: 'chat', stream: true })
            .then((response) => response.text())
            .catch(() => '');
          if (answer.includes('[DONE]')) this.complete += 1;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
  }

  async passed(count: number): Promise<void> {
    const from = this.complete;
    await until(`${count} more requests are answered`, () => this.complete >= from + count, 60_000);
  }

  async stop(): Promise<number> {
    this.#stopped = true;
    await Promise.all(this.#running);
    return this.complete;
  }
}

describe('usage across a crash', () => {
  let rig: UsageRig<ServiceProcess>;
  let tenant: Tenant;
  beforeAll(async () => {
    rig = await UsageRig.startProcesses(2);
    tenant = await rig.tenant();
  }, 180_000);
  afterAll(() => rig?.end(), 60_000);

  const script: Script = { tokens: 4, end: 'complete' };
  /** Sums of one status; zeros when there are none. */
  const counted = async (status: string): Promise<{ requests: number; completion: number; prompt: number }> => {
    const row = (await rig.usage(tenant, ['status'])).find((one) => one.status === status);
    return { requests: row?.requests ?? 0, completion: row?.completion_tokens ?? 0, prompt: row?.prompt_tokens ?? 0 };
  };
  /** Waits until as many requests are counted as were answered since `before`, and checks that neither requests nor tokens exceed it. */
  async function expectCounted(before: { requests: number; completion: number; prompt: number }, answers: number): Promise<void> {
    await until('all answers are counted', async () => (await counted('completed')).requests >= before.requests + answers, 90_000);
    const after = await counted('completed');
    expect(after.completion - before.completion).toBe(answers * script.tokens);
    expect(after.prompt - before.prompt).toBe(answers * PROMPT_TOKENS);
    expect(after.requests - before.requests).toBe(answers);
  }
  const settled = async (): Promise<{ requests: number; completion: number; prompt: number }> => {
    let last = '';
    await until(
      'the ledger stands still',
      async () => {
        const now = JSON.stringify(await counted('completed'));
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return now === last || void (last = now);
      },
      60_000,
    );
    return counted('completed');
  };

  it('of keys-service loses nothing and counts nothing twice', async () => {
    const before = await settled();
    const load = new Load(rig, tenant, script);
    await load.passed(20);
    for (let i = 0; i < 2; i += 1) {
      await rig.processes('keys-service').at(-1)?.stop('SIGKILL');
      await load.passed(10);
      await rig.spawn('keys-service').ready();
      await load.passed(10);
    }
    await expectCounted(before, await load.stop());
  }, 240_000);

  it('of nats-server loses nothing and counts nothing twice', async () => {
    const before = await settled();
    const load = new Load(rig, tenant, script);
    await load.passed(20);
    await rig.bus.servers[0]!.kill();
    await rig.bus.servers[0]!.restart();
    await load.passed(20);
    await expectCounted(before, await load.stop());
  }, 240_000);

  it('of PostgreSQL loses nothing and counts nothing twice', async () => {
    const before = await settled();
    const load = new Load(rig, tenant, script);
    await load.passed(10);
    for (let i = 0; i < 3; i += 1) {
      await rig.crashPostgres();
      await load.passed(10);
    }
    await expectCounted(before, await load.stop());
  }, 240_000);

  it('of a worker counts what its client got', async () => {
    const before = await counted('worker_lost');
    const gateway = rig.addressOf(rig.processes('gateway')[0]!);
    const stream = await open(gateway, tenant, { tokens: 6, end: 'hold' }, 'chat');
    await rig.processes('inference-worker').at(-1)?.stop('SIGKILL');
    expect(await stream.rest).toContain('"error"');
    await until('the request is counted', async () => (await counted('worker_lost')).requests === before.requests + 1, 30_000);
    expect((await counted('worker_lost')).completion - before.completion).toBe(6);
    await rig.spawn('inference-worker').ready();
    for (const one of rig.processes('gateway')) await rig.whenServed(tenant, one);
  }, 240_000);

  it('of a gateway is reported once by the worker', async () => {
    const before = await settled();
    const orphans = await counted('orphaned');
    const doomed = rig.processes('gateway')[0]!;
    const gateway = rig.addressOf(doomed);
    const answer = async (): Promise<unknown> => (await send(gateway, tenant, script, { api: 'chat', stream: false })).text();
    for (let i = 0; i < 5; i += 1) await answer();
    await until('the answers are counted', async () => (await counted('completed')).requests === before.requests + 5, 30_000);
    const streams = [
      await open(gateway, tenant, { tokens: 5, end: 'hold' }, 'chat'),
      await open(gateway, tenant, { tokens: 3, end: 'hold' }, 'messages'),
    ];
    // Its record may still be waiting for others when the gateway dies.
    await answer();
    await doomed.stop('SIGKILL');
    for (const { rest } of streams) await rest;
    const reported = async (): Promise<number> =>
      (await counted('orphaned')).requests - orphans.requests + (await counted('completed')).requests - before.requests;
    await until('the worker has reported what the gateway could not', async () => (await reported()) >= 8, 90_000);
    const [completed, orphaned] = [await counted('completed'), await counted('orphaned')];
    const ended = completed.requests - before.requests;
    expect([5, 6]).toContain(ended);
    expect([completed.requests + orphaned.requests, completed.completion + orphaned.completion]).toEqual([
      before.requests + orphans.requests + 8,
      before.completion + orphans.completion + 8 + 6 * script.tokens,
    ]);
    await expectCounted(before, ended);
    expect(await rig.sql(`SELECT count(*)::int AS n FROM usage.orphan`)).toEqual([{ n: 0 }]);
  }, 240_000);
});
