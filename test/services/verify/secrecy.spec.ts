import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateDeployment,
  CreateMcpKey,
  CreateSetupLink,
  deploymentSlug,
  RevokeKey,
  RotateKey,
  UpdateDeployment,
} from '@slipway/contracts';
import { chatChunk, freePorts, modelList, sseEvent, type UpstreamRequest, type UpstreamScript, usageChunk } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OtlpCollector } from '../../testing/otlp-collector.js';
import { until } from '../../testing/until.js';
import { Browser } from '../../people/browser.js';
import { type Tenant, UsageRig } from '../../usage/usage-rig.js';
import type { ServiceProcess } from '../service-process.js';
import { PEPPER_SECRET } from '../service-process.js';

/** What only its owners may see, in the two contracts' words and in people's. */
const PROMPT = 'canary-prompt-uwbhfqel';
const ANSWER = 'canary-answer-ckzmtrov';
const PASSWORD = 'canary password xyvnqdaj';
const WRONG_PASSWORD = 'canary mistyped gplsrtie';
const ENGINE_CREDENTIAL = 'canary-engine-hdjwmbko';

/** The engine answers, fails, or refuses, and repeats the prompt wherever it can. */
function answer({ path, body }: UpstreamRequest): UpstreamScript {
  if (path.endsWith('/models')) return modelList('scripted');
  const text = JSON.stringify(body);
  if (text.includes('refuse')) {
    return { status: 400, headers: { 'content-type': 'application/json' }, steps: [{ write: `{"error":{"message":"no: ${PROMPT}"}}` }] };
  }
  if (text.includes('garbage')) return { steps: [{ write: `data: {${PROMPT}\n\n` }] };
  const said = [chatChunk({ role: 'assistant', content: '' }), chatChunk({ content: ANSWER })];
  if (text.includes('fail')) return { steps: [...said, sseEvent({ error: { message: `broken at ${PROMPT}`, code: 500 } })] };
  if (text.includes('cut')) return { steps: [...said, { cut: true }] };
  return { steps: [...said, chatChunk({}, 'stop'), usageChunk(7, 1), sseEvent('[DONE]')] };
}

const spellings = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, -4), bytes.toString('base64url').slice(0, -4)];
};

describe('secrets and prompts', () => {
  let rig: UsageRig<ServiceProcess>;
  let tenant: Tenant;
  let collector: OtlpCollector;
  let deployed = '';
  /** Each with what it is. */
  const secrets = new Map<string, string>([
    [PROMPT, 'a prompt'],
    [ANSWER, 'an answer'],
    [PASSWORD, 'a password'],
    [WRONG_PASSWORD, 'a mistyped password'],
    [ENGINE_CREDENTIAL, 'the credential of an engine'],
    [PEPPER_SECRET, 'a pepper and the secret key'],
  ]);
  /** Bodies of everything that was refused. */
  const refusals: string[] = [];

  const keyIs = (value: string, what: string): string => {
    secrets.set(value.slice(8, -6), what);
    return value;
  };

  async function post(path: string, key: string, body: string): Promise<void> {
    const gateway = rig.addressOf(rig.processes('gateway')[0]!);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${gateway}/${path}`, { method: 'POST', headers, body });
    const text = await response.text().catch(() => '');
    if (response.status !== 200) refusals.push(text);
    else if (text.includes('"error"')) refusals.push(text.replaceAll(ANSWER, ''));
  }

  /** Asks in both contracts, streamed and not, for all that an engine does, and for what no gateway takes. */
  async function infer(path: string, key: string, model: string): Promise<void> {
    const questions = ['say', 'fail', 'cut', 'refuse', 'garbage'].flatMap((what) =>
      [true, false].map((stream) => ({ model, stream, max_tokens: 9, messages: [{ role: 'user', content: `${what} ${PROMPT}` }] })),
    );
    const wrong = [{ model, max_tokens: PROMPT, messages: PROMPT }, { model: PROMPT }];
    const bodies = [...[...questions, ...wrong].map((body) => JSON.stringify(body)), `{"${PROMPT}": ${PROMPT}}`];
    const endpoints = ['chat/completions', 'messages', 'messages/count_tokens'];
    await Promise.all(endpoints.flatMap((endpoint) => bodies.map((body) => post(`${path}/v1/${endpoint}`, key, body))));
  }

  /** Signs in, in vain and well, changes the password, and lets the session go on and end. */
  async function live(): Promise<void> {
    const console_ = rig.spawn('console');
    await console_.ready();
    const url = `http://127.0.0.1:${rig.environment['CONSOLE_PORT']}`;
    const { token } = await rig.command(CreateSetupLink, { account: tenant.account, actor: { kind: 'ops' } });
    secrets.set(token, 'an invitation');
    const browser = new Browser(url);
    const note = (): void => {
      for (const value of browser.cookies.values()) secrets.set(value, 'a cookie');
      if (browser.accessToken !== undefined) secrets.set(browser.accessToken.split('.')[2] ?? '', 'a session token');
    };
    const steps: [string, object][] = [
      ['/api/invitations/accept', { token, email: 'ada@example.com', name: 'Ada', password: PASSWORD }],
      ['/api/invitations/accept', { token, email: 'ada@example.com', name: 'Ada', password: PASSWORD }],
      ['/api/sign-in', { email: 'ada@example.com', password: WRONG_PASSWORD }],
      ['/api/sign-in', { email: WRONG_PASSWORD, password: PASSWORD }],
      ['/api/sign-in', { email: 'ada@example.com', password: PASSWORD }],
      ['/api/refresh', {}],
      ['/api/password', { current: WRONG_PASSWORD, next: `${PASSWORD} 2` }],
      ['/api/password', { current: PASSWORD, next: `${PASSWORD} 2` }],
      ['/api/sign-out', {}],
    ];
    let good = 0;
    for (const [path, body] of steps) {
      note();
      const { status, body: said } = await browser.post(path, body);
      if (status >= 400) refusals.push(JSON.stringify(said));
      else good += 1;
      note();
    }
    expect(good).toBe(5);
  }

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    collector = await OtlpCollector.start();
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_on' };
    rig = await UsageRig.startProcesses(1, { LOG_LEVEL: 'debug', CONSOLE_PORT: String(port), ...traced });
    rig.upstream.answer = answer;
    tenant = await rig.tenant();
    keyIs(tenant.key.value, 'a key');
    const { account } = tenant;
    const source = { kind: 'http' as const, url: rig.upstream.url, model: 'scripted' };
    const { id } = await rig.command(CreateDeployment, { account, name: 'locked', source, credential: ENGINE_CREDENTIAL });
    const slug = deploymentSlug(id);
    const rotated = keyIs((await rig.command(RotateKey, { account, key: tenant.key.id })).value, 'a rotated key');
    const mcp = keyIs((await rig.command(CreateMcpKey, { account })).value, 'an MCP key');
    deployed = slug;
    await rig.whenServed({ ...tenant, key: { ...tenant.key, value: rotated } }, rig.processes('gateway')[0]!);
    await until(
      'the engine was called with its credential',
      async () => {
        await post(`${slug}/v1/chat/completions`, rotated, JSON.stringify({ model: slug, messages: [{ role: 'user', content: PROMPT }] }));
        return rig.upstream.requests.some(({ headers }) => headers['authorization'] === `Bearer ${ENGINE_CREDENTIAL}`);
      },
      30_000,
    );
    await infer(slug, rotated, slug);
    await infer(`${tenant.slug}/demo`, rotated, 'demo');
    await rig.command(UpdateDeployment, { account, deployment: id, credential: `${ENGINE_CREDENTIAL}-2` });
    for (const key of [tenant.key.value, mcp, `${rotated}x`, PROMPT]) await post(`${slug}/v1/messages`, key, '{}');
    await post(`${PROMPT}/v1/messages?key=${rotated}`, rotated, '{}');
    await live();
    await until(
      'spans of gateway and worker have left',
      () => new Set(collector.spans.map(({ service }) => service)).size === 2 && collector.spans.length > 20,
    );
    // From now on no collector takes spans.
    await collector.stop();
    await infer(slug, rotated, slug);
    await rig.command(RevokeKey, { account, key: tenant.key.id });
    await post(`${slug}/v1/messages`, rotated, '{}');
    await until('usage is counted', async () => (await rig.usage(tenant))[0]!.completion_tokens > 0, 30_000);
  }, 180_000);
  afterAll(async () => {
    await rig?.end();
    await collector?.stop();
  }, 60_000);

  /** The first secret in a text, with what surrounds it. */
  function expectNone(text: string, where: string): void {
    expect(secrets.size).toBeGreaterThanOrEqual(12);
    for (const [secret, what] of secrets) {
      for (const spelling of spellings(secret)) {
        const at = text.indexOf(spelling);
        if (at >= 0) expect.unreachable(`${where} holds ${what}: ${text.slice(Math.max(0, at - 120), at + 60)}`);
      }
    }
  }

  it('appear in no metric', async () => {
    for (const running of rig.all) {
      const text = await (await fetch(`http://127.0.0.1:${running.port('ops.listening')}/metrics`)).text();
      expect(text).toContain('# TYPE');
      expectNone(text, `the metrics of ${running.app}`);
    }
  });

  it('appear in no span', () => {
    const names = new Set(collector.spans.map(({ name }) => name));
    expect(names).toContain(`chat ${deployed}`);
    const failed = collector.spans.filter(({ isError }) => isError);
    expect(failed.length).toBeGreaterThan(3);
    for (const body of collector.bodies) expectNone(body.toString('latin1'), 'a message to the collector');
  });

  it('appear in no error', () => {
    expect(refusals.length).toBeGreaterThan(30);
    for (const text of refusals) expectNone(text, 'a refusal');
  });

  it('appear in no column of either database', async () => {
    const tables = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
    for (const database of [rig.database, rig.environment['DEPLOYMENTS_DATABASE_URL']!]) {
      const names = (await rig.sql<{ name: string }>(tables, [], database)).map(({ name }) => name);
      expect(names.length).toBeGreaterThan(5);
      for (const name of names) {
        const rows = await rig.sql<{ row: string }>(`SELECT t::text AS row FROM ${name} t`, [], database);
        expectNone(rows.map(({ row }) => row).join('\n'), name);
      }
    }
  });

  it('appear in no file of JetStream', async () => {
    const folders = (await readdir(rig.bus.credentialsDir)).filter((name) => name.startsWith('jetstream'));
    const files = await readdir(join(rig.bus.credentialsDir, folders[0]!), { recursive: true, withFileTypes: true });
    const stored = files.filter((file) => file.isFile());
    expect(stored.length).toBeGreaterThan(0);
    for (const file of stored) expectNone(await readFile(join(file.parentPath, file.name), 'latin1'), file.name);
  });

  // The last one: processes that have ended have nothing left to say.
  it('appear in no log of any process', async () => {
    expect(new Set(rig.all.map(({ app }) => app)).size).toBe(5);
    for (const running of rig.all) {
      const said = await running.lastWords();
      expect(said).toContain('"event":"lifecycle.ready"');
      expectNone(said, `the log of ${running.app}`);
      // A collector that is away costs no line.
      expect(said).not.toMatch(/otlp|ECONNREFUSED|v1\/traces/i);
    }
    for (const server of rig.bus.servers) expectNone(server.log, 'the log of nats-server');
  });
});
