import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DeploymentId, deploymentSlug, ListKeys, UsageStream, workStreamName } from '@slipway/contracts';
import { ensureWorkStream } from '@slipway/platform';
import { TestNatsServer } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { makeAuthority, makeCertificate, validFor } from '../../../apps/cli/src/certs/make-certificates.js';
import { ENV } from '../../services/bus.js';
import { PEPPER_SECRET, ServiceProcess } from '../../services/service-process.js';
import { until } from '../../testing/until.js';
import { type AlertStage, openAlertStage } from '../alert-stage.js';

/** Most records of usage that wait in a gateway. */
const RECORDS_MAX = 100_000;
const HOUR_MS = 3_600_000;

let opened: AlertStage | string;
const stageOf = (context: TestContext): AlertStage => (typeof opened === 'string' ? context.skip(opened) : opened);

beforeAll(async () => {
  opened = await openAlertStage();
}, 300_000);
afterEach(async () => {
  if (typeof opened !== 'string') await opened.repair();
}, 120_000);
afterAll(async () => {
  if (typeof opened !== 'string') await opened?.end();
}, 60_000);

describe('the alert', () => {
  it('SlipwayDeploymentFeedStale fires when deployments-service freezes', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayDeploymentFeedStale');
    const owner = stage.process('deployments-service');
    owner.signal('SIGSTOP');
    stage.repairs.push(() => owner.signal('SIGCONT'));
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
    stage.repairs.push(() => owner.signal('SIGCONT'));
    await stage.fires('SlipwayKeyFeedStale');
    // It may have missed a revocation, so it refuses keys.
    expect((await stage.ask(stage.tenant.deployment, 'complete 1')).status).toBe(503);
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
    const { gateway } = stage;
    stage.repairs.push(() => gateway.signal('SIGCONT'));
    stage.keepOn(async () => {
      gateway.signal('SIGSTOP');
      await delay(400);
      gateway.signal('SIGCONT');
      await delay(400);
    });
    // A busy machine may have stalled it before: this lag is the test's.
    const lag = 'nodejs_eventloop_lag_p99_seconds{service="gateway"} > 0.39';
    await until('it lags', async () => (await stage.prometheus.query(lag)).length > 0, 60_000, 200);
    const { annotations } = await stage.fires('SlipwayProcessStalls', { service: 'gateway' });
    expect(annotations['runbook_url']).toContain('#slipwayprocessstalls');
  });

  it('SlipwayServiceSlow fires when a table of its database is locked', async (context) => {
    const stage = stageOf(context);
    const { account, slug } = stage.tenant;
    await stage.isQuiet('SlipwayServiceSlow');
    const session = new Client({ connectionString: stage.rig.database });
    await session.connect();
    stage.repairs.push(() => session.end());
    await session.query('BEGIN');
    await session.query('LOCK TABLE keys.key IN ACCESS EXCLUSIVE MODE');
    stage.keepOn(() => stage.slipway('keys', 'list', '--account', slug));
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
    stage.keepOn(async () => {
      await stage.rig.sql(end);
      await delay(200);
    });
    await stage.fires('SlipwayLocksLost', { service: 'keys-service' }, 240_000);
    expect(stage.process('keys-service').logged('lock.session_lost')).toBe(true);
  });

  it('SlipwayLedgerBehind fires while the database is frozen', async (context) => {
    const stage = stageOf(context);
    await stage.isQuiet('SlipwayLedgerBehind');
    stage.database('SIGSTOP');
    stage.repairs.push(() => stage.database('SIGCONT'));
    stage.keepOn(async () => {
      await (await stage.ask(stage.tenant.deployment, 'complete 1')).text();
      await delay(50);
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
    stage.repairs.push(() => ensureWorkStream(UsageStream, { nats: boot, env: ENV, timeoutMs: 20_000 }));
    const requests = manyRequests(stage.rig.addressOf(stage.gateway), stage.tenant.deployment, stage.tenant.key.value);
    stage.repairs.push(() => requests.stop());
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
    const at = (name: string): string => join(stage.folder, name);
    await writeFile(at('ca.pem'), authority.cert);
    for (const [name, { cert, key }] of Object.entries({ server, client })) {
      await writeFile(at(`${name}.pem`), cert);
      await writeFile(at(`${name}.key`), key, { mode: 0o600 });
    }
    const nats = await TestNatsServer.start({ config: `tls { cert_file: "${at('server.pem')}", key_file: "${at('server.key')}" }` });
    stage.repairs.push(() => nats.end());
    const files = { NATS_CA: at('ca.pem'), NATS_CERT: at('client.pem'), NATS_KEY: at('client.key') };
    const gateway = new ServiceProcess('gateway', nats, {
      ...files,
      PORT: '0',
      KEY_PEPPERS: `p1:${PEPPER_SECRET}`,
      SLIPWAY_SECRET_KEY: PEPPER_SECRET,
    });
    stage.repairs.push(() => gateway.end());
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
