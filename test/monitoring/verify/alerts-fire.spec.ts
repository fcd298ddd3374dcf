import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  deploymentSlug,
  type DeploymentId,
  Frames,
  GatewayHeartbeat,
  ListKeys,
  subjectOf,
  UsageStream,
  wildcardOf,
  workStreamName,
} from '@slipway/contracts';
import { ensureWorkStream } from '@slipway/platform';
import { chatStream, jsonAnswer, TestNatsServer } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { makeAuthority, makeCertificate, validFor } from '../../../apps/cli/src/certs/make-certificates.js';
import { MODEL } from '../../cli/cli-rig.js';
import { ENV } from '../../services/bus.js';
import { PEPPER_SECRET, ServiceProcess } from '../../services/service-process.js';
import { until } from '../../testing/until.js';
import { open } from '../../usage/usage-rig.js';
import { AlertStage } from '../alert-stage.js';
import { prometheusPrograms } from '../prometheus.js';
import { writeFile } from 'node:fs/promises';

/** Most records of usage that wait in a gateway. */
const RECORDS_MAX = 100_000;
const HOUR_MS = 3_600_000;

let reason = '';
let folder: string;
let opened: AlertStage | undefined;
/** Ends what a test began, also when it failed. */
const repairs: (() => unknown)[] = [];
const stageOf = (context: TestContext): AlertStage => opened ?? context.skip(reason);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-alerts-'));
  const programs = await prometheusPrograms();
  if (typeof programs === 'string') {
    reason = programs.slice(5);
    return;
  }
  const models = join(folder, 'models');
  await mkdir(models);
  const settings = { MODEL_DIRS: models, MODEL_CACHE_DIR: join(folder, 'cache'), QUEUE_WAIT_MS: '5000', INVALID_KEYS_PER_S: '0' };
  opened = await AlertStage.start(programs.prometheus, settings);
}, 300_000);
afterEach(async () => {
  for (const repair of repairs.splice(0).toReversed()) await repair();
}, 120_000);
afterAll(async () => {
  await opened?.end();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Does something again and again until the test is over. */
function keepOn(act: () => Promise<unknown>): void {
  let isOver = false;
  const running = (async () => {
    while (!isOver) await act();
  })();
  running.catch(() => undefined);
  repairs.push(() => {
    isOver = true;
    return running;
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the alert', () => {
  it('SlipwayInvalidKeys fires while somebody guesses keys', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayInvalidKeys');
    const url = `${stage.rig.addressOf(stage.gateway)}/${stage.tenant.slug}/demo/v1/models`;
    keepOn(() =>
      Promise.all(Array.from({ length: 20 }, async () => (await fetch(url, { headers: { 'x-api-key': 'svc_dep_guessed' } })).text())),
    );
    await stage.fires('SlipwayInvalidKeys');
    expect(stage.lines('gateway', 'http.request').filter(({ error }) => error === 'invalid_api_key')).not.toEqual([]);
  });

  it('SlipwayRequestsWait fires while a deployment has too few slots', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ slots: 1 });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayRequestsWait');
    const held = await stage.ask(deployment, 'hold 1', true);
    repairs.push(() => held.body?.cancel());
    keepOn(async () => (await stage.ask(deployment, 'complete 1')).text());
    await stage.fires('SlipwayRequestsWait', { deployment: String(deployment) });
    const slots = await stage.prometheus.query(`slipway_deployment_slots_used{deployment="${deployment}"} / slipway_deployment_slots`);
    expect(slots.map(({ value }) => value)).toEqual([1]);
  });

  it('SlipwayFirstTokenSlow fires where an engine begins late', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ name: 'slow' });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayFirstTokenSlow');
    const usual = stage.rig.upstream.answer;
    repairs.push(() => (stage.rig.upstream.answer = usual));
    stage.rig.upstream.answer = () => ({ steps: [{ pauseMs: 10_500 }, ...chatStream(['late']).steps] });
    for (let i = 0; i < 4; i += 1) keepOn(async () => (await stage.ask(deployment, 'complete 1')).text());
    await stage.fires('SlipwayFirstTokenSlow', { deployment: String(deployment) });
    const line = await until('a line of the worker', () =>
      stage.lines('inference-worker', 'stream').find((one) => Number(one['prefill_ms']) > 10_000),
    );
    expect(line).toMatchObject({ deployment, queue_ms: expect.any(Number) as number, cached_tokens: 0 });
  });

  it('SlipwayErrors fires where an engine fails', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ name: 'broken' });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayErrors');
    const usual = stage.rig.upstream.answer;
    repairs.push(() => (stage.rig.upstream.answer = usual));
    stage.rig.upstream.answer = () => jsonAnswer(500, { error: { message: 'out of memory' } });
    keepOn(async () => (await stage.ask(deployment, 'complete 1')).text());
    await stage.fires('SlipwayErrors');
    const line = await until('a line of the gateway', () =>
      stage.lines('gateway', 'http.request').find((one) => one['error'] === 'engine_error'),
    );
    expect(line).toMatchObject({ status: expect.any(Number) as number, deployment_id: deployment, worker: expect.any(String) as string });
    expect(Number(line['status'])).toBeGreaterThanOrEqual(500);
    expect(stage.lines('inference-worker', 'stream').map((one) => one['trace_id'])).toContain(line['trace_id']);
  });

  it('SlipwayProtocolViolated fires when a worker sends what none may', async (context) => {
    const stage = stageOf(context);
    const deployment = await stage.deployment({ name: 'forged' });
    await stage.whenServed(deployment);
    await stage.isQuiet('SlipwayProtocolViolated');
    const worker = await stage.rig.bus.connect('worker');
    const held = await stage.ask(deployment, 'hold 1', true);
    repairs.push(() => held.body?.cancel());
    const st = held.headers.get('x-request-id')?.replace('req_', '') ?? '';
    const beats = worker.subscribe(wildcardOf(GatewayHeartbeat, { env: ENV }), { max: 1 });
    for await (const { subject } of beats) {
      const gw = subject.slice(subject.lastIndexOf('.') + 1);
      worker.publish(subjectOf(Frames, { env: ENV, gw, st, at: '1' }), '{');
    }
    await stage.fires('SlipwayProtocolViolated', { event: 'unreadable' });
    expect((await stage.prometheus.query('slipway_build_info')).map(({ metric }) => metric['protocol'])).toContain('1.0');
  });

  describe('of a model', () => {
    let deployment: DeploymentId;
    /** Its log may be written a moment after it answers. */
    const pidOfRunner = (stage: AlertStage): Promise<number> =>
      until('the runner is logged', () => {
        const lines = stage.process('inference-worker').output.split('\n');
        const line = lines.findLast((one) => one.includes('"event":"placement.ready"') && one.includes(`"deployment":${deployment},`));
        // The line names the agent's process first.
        const pid = [...(line ?? '').matchAll(/"pid":(\d+)/g)].at(-1)?.[1];
        return pid === undefined ? null : Number(pid);
      });

    it('SlipwayModelFails fires when its process dies', async (context) => {
      const stage = stageOf(context);
      const path = join(folder, 'models/own.gguf');
      await cp(MODEL, path);
      deployment = await stage.deployment({ name: 'own', source: { kind: 'file', path } });
      await stage.whenServed(deployment, 'hi');
      await stage.isQuiet('SlipwayModelFails');
      process.kill(await pidOfRunner(stage), 'SIGKILL');
      await stage.fires('SlipwayModelFails', { service: 'inference-worker' });
      expect(stage.process('inference-worker').output).toContain('"event":"placement.failed"');
      await stage.whenServed(deployment, 'hi');
    });

    it('SlipwayDeploymentWithoutReplica fires when its file is gone', async (context) => {
      const stage = stageOf(context);
      await stage.isQuiet('SlipwayDeploymentWithoutReplica');
      await rm(join(folder, 'models/own.gguf'));
      process.kill(await pidOfRunner(stage), 'SIGKILL');
      await stage.fires('SlipwayDeploymentWithoutReplica', { deployment: String(deployment) });
      const shown = await stage.slipway('deployments', 'show', deploymentSlug(deployment));
      expect(shown).toMatch(/failed|loading|degraded/);
      expect(await stage.slipway('deployments', 'log', deploymentSlug(deployment))).not.toBe('');
      await stage.slipway('deployments', 'stop', deploymentSlug(deployment));
      await stage.isQuiet('SlipwayDeploymentWithoutReplica');
    });
  });

  it('SlipwayWorkersLost fires when a worker freezes', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayWorkersLost');
    const { rest } = await open(stage.rig.addressOf(stage.gateway), stage.tenant, { tokens: 1, end: 'hold' }, 'chat');
    const worker = stage.process('inference-worker');
    worker.signal('SIGSTOP');
    repairs.push(() => worker.signal('SIGCONT'));
    await stage.fires('SlipwayWorkersLost', { event: 'lostStreams' });
    expect(await rest).toContain('"error"');
    const line = await until('a line of the gateway', () =>
      stage.lines('gateway', 'http.request').find((one) => one['error'] === 'worker_lost'),
    );
    expect(line).toMatchObject({ worker: expect.any(String) as string });
  });

  it('SlipwayNoWorker fires when no worker is left', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayNoWorker');
    await stage.process('inference-worker').stop();
    await stage.fires('SlipwayNoWorker');
    expect(await stage.slipway('deployments', 'list')).toContain('a model');
    const worker = stage.rig.restart(stage.process('inference-worker'));
    await worker.ready();
    stage.scrape();
    await stage.isQuiet('SlipwayNoWorker');
  });

  it('SlipwayDeploymentFeedStale fires when deployments-service freezes', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayDeploymentFeedStale');
    const owner = stage.process('deployments-service');
    owner.signal('SIGSTOP');
    repairs.push(() => owner.signal('SIGCONT'));
    await stage.fires('SlipwayDeploymentFeedStale');
    expect((await fetch(`${stage.rig.addressOf(stage.gateway)}/readyz`)).status).toBe(200);
    owner.signal('SIGCONT');
    await stage.isQuiet('SlipwayDeploymentFeedStale');
  });

  it('SlipwayKeyFeedStale fires when keys-service freezes', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayKeyFeedStale');
    const owner = stage.process('keys-service');
    owner.signal('SIGSTOP');
    repairs.push(() => owner.signal('SIGCONT'));
    await stage.fires('SlipwayKeyFeedStale');
    owner.signal('SIGCONT');
    await stage.isQuiet('SlipwayKeyFeedStale');
  });

  it('SlipwayServiceGone fires when a service has ended', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayServiceGone');
    const owner = stage.process('keys-service');
    await owner.stop();
    await stage.fires('SlipwayServiceGone', { service: 'keys-service' });
    expect(owner.logged('lifecycle.stopped')).toBe(true);
    expect(await stage.slipway('status')).toContain('keys-service');
    await stage.rig.restart(owner).ready();
    stage.scrape();
    await stage.isQuiet('SlipwayServiceGone');
  });

  it('SlipwayProcessStalls fires when a gateway gets little CPU time', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayProcessStalls');
    const { gateway } = stage;
    repairs.push(() => gateway.signal('SIGCONT'));
    keepOn(async () => {
      gateway.signal('SIGSTOP');
      await pause(400);
      gateway.signal('SIGCONT');
      await pause(400);
    });
    await stage.fires('SlipwayProcessStalls', { service: 'gateway' });
  });

  it('SlipwayServiceSlow fires when a table of its database is locked', async (context) => {
    const stage = stageOf(context);
    const { account, slug } = stage.tenant;
    await stage.isQuiet('SlipwayServiceSlow');
    const session = new Client({ connectionString: stage.rig.database });
    await session.connect();
    repairs.push(() => session.end());
    await session.query('BEGIN');
    await session.query('LOCK TABLE keys.key IN ACCESS EXCLUSIVE MODE');
    keepOn(() => stage.slipway('keys', 'list', '--account', slug));
    await stage.fires('SlipwayServiceSlow', { service: 'keys-service' });
    const slow = 'histogram_quantile(0.95, sum by (service, method, le) (rate(slipway_rpc_seconds_bucket[15s]))) > 0.5';
    expect((await stage.prometheus.query(slow)).map(({ metric }) => metric['method'])).toContain('key.list-keys');
    await session.query('ROLLBACK');
    await stage.rig.command(ListKeys, { account });
  });

  it('SlipwayLocksLost fires when sessions of the database are ended', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayLocksLost');
    const end = `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE l.locktype = 'advisory' AND d.datname = current_database()`;
    keepOn(async () => {
      await stage.rig.sql(end);
      await pause(200);
    });
    await stage.fires('SlipwayLocksLost', { service: 'keys-service' }, 240_000);
    expect(stage.process('keys-service').logged('lock.session_lost')).toBe(true);
  });

  it('SlipwayLedgerBehind fires while the database is frozen', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayLedgerBehind');
    stage.database('SIGSTOP');
    repairs.push(() => stage.database('SIGCONT'));
    keepOn(async () => {
      await (await stage.ask(stage.tenant.deployment, 'complete 1')).text();
      await pause(50);
    });
    await stage.fires('SlipwayLedgerBehind');
    expect(stage.process('keys-service').logged('work.failed')).toBe(true);
    stage.database('SIGCONT');
    await stage.isQuiet('SlipwayLedgerBehind');
  });

  it('SlipwayUsageWaits and SlipwayUsageLost fire while JetStream keeps nothing', async (context) => {
    const stage = stageOf(context);
    for (const alert of ['SlipwayUsageWaits', 'SlipwayUsageLost']) await stage.isQuiet(alert);
    const boot = await stage.rig.bus.connect('boot');
    await boot.request(`$JS.API.STREAM.DELETE.${workStreamName(UsageStream, ENV)}`, '');
    repairs.push(() => ensureWorkStream(UsageStream, { nats: boot, env: ENV, timeoutMs: 20_000 }));
    const requests = manyRequests(stage.rig.addressOf(stage.gateway), stage.tenant.deployment, stage.tenant.key.value);
    repairs.push(() => requests.stop());
    await stage.fires('SlipwayUsageWaits');
    await stage.fires('SlipwayUsageLost', { state: 'dropped' }, 480_000);
    requests.stop();
    expect(requests.count).toBeGreaterThan(RECORDS_MAX);
    await ensureWorkStream(UsageStream, { nats: boot, env: ENV, timeoutMs: 20_000 });
    await stage.isQuiet('SlipwayUsageWaits');
  }, 600_000);

  it('SlipwayTlsRefused and SlipwayCertificateExpires fire by certificates', async (context) => {
    const stage = stageOf(context);
    const authority = await makeAuthority('authority', validFor(10));
    const past = { from: new Date(Date.now() - 2 * HOUR_MS), to: new Date(Date.now() - HOUR_MS) };
    const server = await makeCertificate(authority, { name: 'server', hosts: ['127.0.0.1'], ...past });
    const client = await makeCertificate(authority, { name: 'client', hosts: [], ...validFor(2) });
    const at = (name: string): string => join(folder, name);
    await writeFile(at('ca.pem'), authority.cert);
    for (const [name, { cert, key }] of Object.entries({ server, client })) {
      await writeFile(at(`${name}.pem`), cert);
      await writeFile(at(`${name}.key`), key, { mode: 0o600 });
    }
    const nats = await TestNatsServer.start({ config: `tls { cert_file: "${at('server.pem')}", key_file: "${at('server.key')}" }` });
    repairs.push(() => nats.end());
    const files = { NATS_CA: at('ca.pem'), NATS_CERT: at('client.pem'), NATS_KEY: at('client.key') };
    const gateway = new ServiceProcess('gateway', nats, {
      ...files,
      PORT: '0',
      KEY_PEPPERS: `p1:${PEPPER_SECRET}`,
      SLIPWAY_SECRET_KEY: PEPPER_SECRET,
    });
    repairs.push(() => gateway.end());
    await until('its ops port is open', () => gateway.port('ops.listening'));
    for (const alert of ['SlipwayTlsRefused', 'SlipwayCertificateExpires']) await stage.isQuiet(alert);
    stage.scrape(gateway);
    await stage.fires('SlipwayTlsRefused', { reason: 'expired' });
    await stage.fires('SlipwayCertificateExpires', { file: 'cert' });
    expect((await gateway.readiness()).text).toContain('its certificate has expired');
  });
});

/** Sends requests as fast as they are answered, until it is stopped. */
function manyRequests(gateway: string, deployment: DeploymentId, key: string): { readonly count: number; stop(): void } {
  const state = { count: 0, isOver: false };
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const model = deploymentSlug(deployment);
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'complete 1' }] });
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': body.length };
  const url = `${gateway}/${model}/v1/chat/completions`;
  const once = (): void => {
    if (state.isOver) return;
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        state.count += 1;
        once();
      });
    });
    sent.on('error', () => undefined);
    sent.end(body);
  };
  for (let i = 0; i < 128; i += 1) once();
  return {
    get count() {
      return state.count;
    },
    stop() {
      state.isOver = true;
      agent.destroy();
    },
  };
}
