import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AccountId,
  CreateAccount,
  CreateDeployment,
  CreateKey,
  CreateSetupLink,
  type KeyId,
  ListKeys,
  PointAlias,
  QueryUsage,
  RevokeKey,
  PLAIN_ROLES,
  type PlainRole,
  type Role,
  type RpcContract,
  subjectOf,
  UsageStream,
} from '@slipway/contracts';
import { connectNats, createLogger, ensureWorkStream, type NatsConnection, nuid, renderNatsConf, RpcClient } from '@slipway/platform';
import {
  chatChunk,
  freePorts,
  ScriptedUpstream,
  sseEvent,
  startOwnPostgres,
  TestNatsServer,
  type TestPostgres,
  usageChunk,
} from '@slipway/testing';
import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { Browser } from '../../people/browser.js';
import { type Answer, answerOf, ask, fingerprintOf } from '../client-answer.js';
import { PatientRpc } from '../patient-rpc.js';
import { PEPPER_SECRET, ServiceProcess } from '../service-process.js';
import type { AppName } from '../test-service.js';

const APPS: readonly AppName[] = ['keys-service', 'deployments-service', 'inference-worker', 'gateway', 'console'];
const PASSWORD = 'correct horse battery';
const log = createLogger('test', 'silent');
/** The same names in both, and so the same numbers. */
const ACCOUNT = 'acme';
const PATH = `${ACCOUNT}/demo`;

/** One environment with hosts of its own, on servers that it shares. */
class Environment {
  readonly #processes: ServiceProcess[] = [];
  readonly connections: NatsConnection[] = [];
  #rpc!: PatientRpc;
  account!: AccountId;
  key!: { readonly id: KeyId; readonly value: string };
  browser!: Browser;
  /** Requests that were answered well. */
  answered = 0;

  private constructor(
    readonly name: string,
    readonly engine: ScriptedUpstream,
    private readonly nats: { readonly url: string; readonly credentialsDir: string },
  ) {}

  static async start(
    name: string,
    nats: { readonly url: string; readonly credentialsDir: string },
    postgres: string,
  ): Promise<Environment> {
    const engine = await ScriptedUpstream.start(() => ({
      steps: [
        chatChunk({ role: 'assistant', content: '' }),
        chatChunk({ content: `I am ${name}` }),
        chatChunk({}, 'stop'),
        usageChunk(3, 1),
        sseEvent('[DONE]'),
      ],
    }));
    const environment = new Environment(name, engine, nats);
    await ensureWorkStream(UsageStream, { nats: await environment.connect('boot'), env: name, timeoutMs: 20_000 });
    environment.#rpc = new PatientRpc(new RpcClient(await environment.connect('ops'), name));
    const [port = 0] = await freePorts(1);
    const settings = {
      SLIPWAY_ENV: name,
      DATABASE_URL: postgres,
      // Secrets are shared too: nothing may rest on their being different.
      KEY_PEPPERS: `p1:${PEPPER_SECRET}`,
      SLIPWAY_SECRET_KEY: PEPPER_SECRET,
      ENGINE_HOSTS: '127.0.0.1',
      PORT: '0',
      CONSOLE_PORT: String(port),
    };
    environment.browser = new Browser(`http://127.0.0.1:${port}`);
    for (const app of APPS) environment.#processes.push(new ServiceProcess(app, nats, settings));
    for (const running of environment.#processes) await running.ready();
    return environment;
  }

  async connect(role: Role): Promise<NatsConnection> {
    const connection = await connectNats({ ...this.nats, role, name: `test ${role}`, log });
    this.connections.push(connection);
    return connection;
  }

  get gateway(): string {
    return `http://127.0.0.1:${this.#processes.find(({ app }) => app === 'gateway')?.port('gateway.listening')}`;
  }

  command<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.#rpc.ask(contract, request);
  }

  /** An account with a key, a deployment, an alias and an owner who is signed in. */
  async furnish(): Promise<void> {
    const { id: account } = await this.command(CreateAccount, { slug: ACCOUNT });
    this.account = account;
    this.key = await this.command(CreateKey, { account, name: `a key of ${this.name}` });
    const source = { kind: 'http' as const, url: this.engine.url, model: 'scripted' };
    const { id } = await this.command(CreateDeployment, { account, name: 'a model', source });
    await this.command(PointAlias, { account, alias: 'demo', deployment: id });
    const { token } = await this.command(CreateSetupLink, { account, actor: { kind: 'ops' } });
    const joined = await this.browser.post('/api/invitations/accept', { token, email: 'ada@example.com', password: PASSWORD });
    expect(joined.status).toBe(200);
    await answerOf('it is served', { gateway: this.gateway, path: PATH, key: this.key.value }, ({ status }) => status === 200);
    this.answered = 1;
  }

  /** Asks with the environment's own key. */
  async ask(path = PATH): Promise<Answer> {
    const answer = await ask({ gateway: this.gateway, path, key: this.key.value });
    if (answer.status === 200) this.answered += 1;
    return answer;
  }

  /** What was answered well, by the ledger. */
  async usage(): Promise<{ requests: number; tokens: number }> {
    const now = Date.now();
    const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 3_600_000).toISOString() };
    const { rows } = await this.command(QueryUsage, { account: this.account, ...range, step: 'total', group_by: ['status'] });
    const row = rows.find(({ status }) => status === 'completed');
    return { requests: row?.requests ?? 0, tokens: (row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0) };
  }

  async end(): Promise<void> {
    await Promise.all(this.#processes.map((running) => running.stop('SIGKILL')));
    await Promise.all(this.connections.map((connection) => connection.close()));
    await this.engine.stop();
  }
}

describe('two environments on shared servers', () => {
  let postgres: TestPostgres;
  let server: TestNatsServer;
  let folder: string;
  let alpha: Environment;
  let beta: Environment;

  beforeAll(async () => {
    postgres = await startOwnPostgres();
    folder = await mkdtemp(join(tmpdir(), 'slipway-environments-'));
    const passwords = Object.fromEntries(PLAIN_ROLES.map((role) => [role, nuid.next()])) as Record<PlainRole, string>;
    const [port = 0] = await freePorts(1);
    const credentials = async (env: string, nameOf: (role: Role) => string): Promise<string> => {
      const credentialsDir = join(folder, env);
      await mkdir(credentialsDir);
      for (const role of PLAIN_ROLES) {
        await writeFile(join(credentialsDir, `${role}.json`), JSON.stringify({ user: nameOf(role), password: passwords[role] }));
      }
      return credentialsDir;
    };
    const storeDir = join(folder, 'jetstream');
    const neighbours = [{ env: 'beta', passwords }];
    const config = renderNatsConf({ env: 'alpha', neighbours, host: '127.0.0.1', port, serverName: 'shared', storeDir, passwords });
    server = await TestNatsServer.start({ port, config });
    const natsOf = async (env: string, nameOf: (role: Role) => string): Promise<{ url: string; credentialsDir: string }> => ({
      url: server.url,
      credentialsDir: await credentials(env, nameOf),
    });
    alpha = await Environment.start('alpha', await natsOf('alpha', (role) => role), postgres.url);
    beta = await Environment.start('beta', await natsOf('beta', (role) => `beta-${role}`), postgres.url);
    await Promise.all([alpha.furnish(), beta.furnish()]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all([alpha?.end(), beta?.end()]);
    await server?.end();
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const both = (): readonly (readonly [Environment, Environment])[] => [
    [alpha, beta],
    [beta, alpha],
  ];

  it('refuse each other’s keys as unknown', async () => {
    expect([alpha.account, alpha.key.id]).toEqual([beta.account, beta.key.id]);
    for (const [own, other] of both()) {
      const refused = await ask({ gateway: own.gateway, path: PATH, key: other.key.value });
      expect(refused.status).toBe(401);
      const unknown = await ask({ gateway: own.gateway, path: PATH, key: 'svc_dep_unknown' });
      expect(fingerprintOf(refused)).toBe(fingerprintOf(unknown));
      const { keys } = await own.command(ListKeys, { account: own.account });
      expect(keys.map(({ name }) => name)).toEqual([`a key of ${own.name}`]);
    }
  });

  it('serve only their own deployments', async () => {
    for (const [own, other] of both()) {
      const before = other.engine.requests.length;
      for (const path of [PATH, 'deployment-1']) {
        const answer = await own.ask(path);
        expect([answer.status, answer.body.includes(`I am ${own.name}`)]).toEqual([200, true]);
      }
      expect(other.engine.requests.length).toBe(before);
    }
  });

  it('refuse each other’s session tokens and cookies', async () => {
    for (const [own, other] of both()) {
      expect((await own.browser.get('/api/me')).status).toBe(200);
      const thief = new Browser(own.browser.url);
      thief.accessToken = other.browser.accessToken;
      for (const [name, value] of other.browser.cookies) thief.cookies.set(name, value);
      expect((await thief.get('/api/me')).status).toBe(401);
      expect((await thief.post('/api/refresh')).status).toBe(401);
      expect((await own.browser.get('/api/me')).status).toBe(200);
    }
  });

  it('are isolated on NATS', async () => {
    const [ours, theirs] = [await alpha.connect('gateway'), await beta.connect('keys')];
    const subject = `key.beta.v1.chg`;
    let received = 0;
    for (const pattern of [subject, 'key.alpha.v1.chg']) ours.subscribe(pattern, { callback: (error) => void (received += error ? 0 : 1) });
    await ours.flush();
    for (const env of ['alpha', 'beta']) theirs.publish(`key.${env}.v1.chg`, '{}');
    await theirs.flush();
    await ours.flush();
    expect(received).toBe(0);
    expect(subjectOf(RevokeKey, { env: 'alpha' })).not.toBe(subjectOf(RevokeKey, { env: 'beta' }));
  });

  it('keep separate ledgers', async () => {
    for (let i = 0; i < 7; i += 1) await alpha.ask();
    for (const environment of [alpha, beta]) {
      const { answered } = environment;
      await until('all are counted', async () => (await environment.usage()).requests >= answered);
      expect(await environment.usage()).toEqual({ requests: answered, tokens: 4 * answered });
    }
    expect(alpha.answered).toBe(beta.answered + 7);
  });

  it('revoke only their own key of an id', async () => {
    await alpha.command(RevokeKey, { account: alpha.account, key: alpha.key.id });
    await answerOf('it is refused', { gateway: alpha.gateway, path: PATH, key: alpha.key.value }, ({ status }) => status === 401);
    for (let i = 0; i < 3; i += 1) expect((await beta.ask()).status).toBe(200);
  });
});
