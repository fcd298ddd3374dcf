import {
  type AccountId,
  type AccountState,
  CreateKey,
  DeleteAccount,
  DeleteDeployment,
  type DeploymentId,
  deploymentSlug,
  formatKey,
  ResumeDeployment,
  RevokeKey,
  RotateKey,
  SetAccountState,
  StopDeployment,
} from '@slipway/contracts';
import { jsonAnswer, modelList, ScriptedUpstream } from '@slipway/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { type Answer, answerOf, ask, type Call, ClientStream, codeOf, fingerprintOf, modelOf } from '../client-answer.js';
import { ClientRig, STOP_GRACE_MS, type Tenant } from '../client-rig.js';
import type { ServiceProcess } from '../service-process.js';
import { MODELS } from '../service-process.js';

const LLAMA = { source: { kind: 'file' as const, path: `${MODELS}/svc-tiny.Q8_0.gguf` }, slots: 1, context: 512 };
const RETRY_AFTER = /^([1-9]|[12]\d|30)$/;
/** A well-formed key that was never issued. */
const UNKNOWN_KEY = formatKey('dep', new Uint8Array(32).fill(7));

const is =
  (status: number, code: string) =>
  (answer: Answer): boolean =>
    answer.status === status && codeOf(answer) === code;

describe('a client’s view at two gateways', { timeout: 180_000 }, () => {
  let rig: ClientRig<ServiceProcess>;

  beforeAll(async () => {
    rig = await ClientRig.startProcesses();
  }, 180_000);
  afterAll(() => rig?.end());

  /** Asks every gateway until it answers as wanted, and returns the answers. */
  const everywhere = (what: string, call: Omit<Call, 'gateway'>, wanted: (answer: Answer) => boolean): Promise<Answer[]> =>
    Promise.all(rig.gateways.map((gateway) => answerOf(what, { ...call, gateway }, wanted)));

  const nameOf = ({ account }: Tenant, deployment: DeploymentId): { account: AccountId; deployment: DeploymentId } => ({
    account,
    deployment,
  });

  it.concurrent('a stopped deployment is 409 until resumed', async () => {
    const tenant = await rig.tenant();
    const id = await rig.deployment(tenant.account, LLAMA);
    await rig.alias(tenant.account, 'mine', id);
    const paths = [deploymentSlug(id), `${tenant.slug}/mine`];
    const key = tenant.key.value;
    for (const path of paths) await rig.whenServed({ path, key });
    await rig.command(StopDeployment, nameOf(tenant, id));
    for (const path of paths) {
      for (const answer of await everywhere('it is refused', { path, key }, is(409, 'deployment_stopped'))) {
        expect(answer.headers).toMatchObject({ 'x-should-retry': 'false', 'content-type': 'application/json' });
        expect(answer.headers).not.toHaveProperty('retry-after');
      }
    }
    let requests = 0;
    const counted: typeof fetch = (...request) => {
      requests += 1;
      return fetch(...request);
    };
    const client = new OpenAI({ baseURL: `${rig.gateways[0]}/${paths[0]}/v1`, apiKey: key, maxRetries: 3, fetch: counted });
    const refused = client.chat.completions.create({ model: paths[0] ?? '', messages: [{ role: 'user', content: 'ping' }] });
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'deployment_stopped' });
    expect(requests).toBe(1);
    await rig.command(ResumeDeployment, nameOf(tenant, id));
    for (const path of paths) await rig.whenServed({ path, key });
  });

  it.concurrent('a stopped stream ends with an error event', async () => {
    const tenant = await rig.tenant();
    const id = await rig.deployment(tenant.account);
    const [path, key] = [deploymentSlug(id), tenant.key.value];
    await rig.whenServed({ path, key });
    const [short, long] = [rig.hold(), rig.hold()];
    const open = async ({ text }: { text: string }): Promise<ClientStream[]> =>
      Promise.all(rig.gateways.map((gateway) => ClientStream.open({ gateway, path, key, text })));
    const [ending, held] = [await open(short), await open(long)];
    for (const stream of [...ending, ...held]) await stream.whenSaid('first');
    const stoppedAt = performance.now();
    await rig.command(StopDeployment, nameOf(tenant, id));
    short.release();
    await everywhere('new requests are refused', { path, key }, is(409, 'deployment_stopped'));
    for (const stream of ending) {
      await stream.whenSaid('[DONE]');
      expect(stream.text).toContain(' second');
    }
    for (const stream of held) {
      await stream.whenOver();
      expect(performance.now() - stoppedAt).toBeGreaterThan(STOP_GRACE_MS * 0.9);
      expect(stream.ending).toEqual({ error: 'deployment_stopped', clean: false });
    }
    await rig.whenSeen(tenant.account, id, { state: 'stopped' });
  });

  it.concurrent('a loading deployment is 503 with Retry-After', async () => {
    const engine = await ScriptedUpstream.start(() => jsonAnswer(500, {}));
    try {
      let load: () => void = () => undefined;
      const loaded = new Promise<void>((resolve) => (load = resolve));
      engine.gets.set('/v1/models', { ...modelList('scripted'), steps: [{ until: loaded }, ...modelList('scripted').steps] });
      engine.answer = (request) => rig.upstream.answer(request);
      const tenant = await rig.tenant();
      const id = await rig.deployment(tenant.account, { source: { kind: 'http', url: engine.url, model: 'scripted' } });
      const call = { path: deploymentSlug(id), key: tenant.key.value };
      await rig.whenSeen(tenant.account, id, { state: 'loading' });
      for (const answer of await everywhere('it is known to load', call, is(503, 'deployment_unavailable'))) {
        expect(answer.headers['retry-after']).toMatch(RETRY_AFTER);
        expect(answer.headers).not.toHaveProperty('x-should-retry');
      }
      load();
      await rig.whenServed(call);
    } finally {
      await engine.stop();
    }
  });

  it.concurrent('an unplaced deployment is 503 with Retry-After', async () => {
    const tenant = await rig.tenant();
    const id = await rig.deployment(tenant.account, { ...LLAMA, slots: 256, context: 1_000_000 });
    await rig.whenSeen(tenant.account, id, { state: 'pending', reason: 'no_capacity' });
    const call = { path: deploymentSlug(id), key: tenant.key.value };
    for (const answer of await everywhere('it is refused', call, is(503, 'deployment_unavailable'))) {
      expect(answer.headers['retry-after']).toMatch(RETRY_AFTER);
    }
  });

  it.concurrent('a full deployment is 503 with Retry-After', async () => {
    const tenant = await rig.tenant();
    const id = await rig.deployment(tenant.account, { slots: 1, replicas: 1 });
    const call = { path: deploymentSlug(id), key: tenant.key.value };
    await rig.whenServed(call);
    const { replicas } = await rig.whenSeen(tenant.account, id, { state: 'ready' });
    const hold = rig.hold();
    const takers = await Promise.all(
      Array.from({ length: replicas }, (_, i) => ClientStream.open({ ...call, gateway: rig.gateways[i % 2] ?? '', text: hold.text })),
    );
    for (const taker of takers) await taker.whenSaid('first');
    for (const answer of await everywhere('it is overloaded', call, is(503, 'overloaded'))) {
      expect(answer.headers['retry-after']).toMatch(RETRY_AFTER);
    }
    hold.release();
    for (const taker of takers) await taker.whenSaid('[DONE]');
    await rig.whenServed(call);
  });

  it.concurrent('a moved alias affects new requests only', async () => {
    const tenant = await rig.tenant();
    const [before, after] = [await rig.deployment(tenant.account), await rig.deployment(tenant.account)];
    const [path, key] = [`${tenant.slug}/mine`, tenant.key.value];
    await rig.alias(tenant.account, 'mine', before);
    for (const id of [before, after]) await rig.whenServed({ path: deploymentSlug(id), key });
    await rig.whenServed({ path, key });
    const hold = rig.hold();
    const streams = await Promise.all(rig.gateways.map((gateway) => ClientStream.open({ gateway, path, key, text: hold.text })));
    for (const stream of streams) await stream.whenSaid('first');
    await rig.alias(tenant.account, 'mine', after);
    const leadsTo = (answer: Answer): boolean => answer.status === 200 && modelOf(answer) === deploymentSlug(after);
    await everywhere('the alias leads to the new one', { path, key }, leadsTo);
    for (const gateway of rig.gateways) expect(modelOf(await ask({ gateway, path, key }))).toBe(deploymentSlug(after));
    hold.release();
    for (const stream of streams) {
      await stream.whenSaid('[DONE]');
      expect(stream.text).toContain(' second');
      expect(new Set(stream.chunks.map(({ model }) => model))).toEqual(new Set([deploymentSlug(before)]));
    }
  });

  it.concurrent('a deleted deployment is 404 like unknown ones', async () => {
    const [tenant, stranger] = [await rig.tenant(), await rig.tenant()];
    const id = await rig.deployment(tenant.account, LLAMA);
    const foreign = await rig.deployment(stranger.account);
    await rig.alias(tenant.account, 'mine', id);
    const key = tenant.key.value;
    await rig.whenServed({ path: `${tenant.slug}/mine`, key });
    await rig.command(StopDeployment, nameOf(tenant, id));
    await rig.whenSeen(tenant.account, id, { state: 'stopped' });
    await rig.command(DeleteDeployment, nameOf(tenant, id));
    const paths = [deploymentSlug(id), `${tenant.slug}/mine`, deploymentSlug(foreign), 'deployment-999999'];
    const seen = new Set<string>();
    for (const path of paths) {
      for (const answer of await everywhere('it is not there', { path, key }, is(404, 'model_not_found'))) {
        expect(answer.headers).toMatchObject({ 'x-should-retry': 'false' });
        seen.add(fingerprintOf(answer));
      }
    }
    expect(seen.size).toBe(1);
  });

  it.concurrent('a rotated key’s old value is unknown', async () => {
    const tenant = await rig.tenant();
    const path = deploymentSlug(await rig.deployment(tenant.account));
    await rig.whenServed({ path, key: tenant.key.value });
    const { value, propagated } = await rig.command(RotateKey, { account: tenant.account, key: tenant.key.id });
    const first = await Promise.all(rig.gateways.map((gateway) => ask({ gateway, path, key: tenant.key.value })));
    if (propagated) expect(first.map(({ status }) => status)).toEqual([401, 401]);
    await rig.whenServed({ path, key: value });
    const old = await everywhere('the old value is refused', { path, key: tenant.key.value }, is(401, 'invalid_api_key'));
    const unknown = await everywhere('an unknown key is refused', { path, key: UNKNOWN_KEY }, is(401, 'invalid_api_key'));
    expect(new Set([...old, ...unknown].map(fingerprintOf)).size).toBe(1);
    expect(old[0]?.headers).toMatchObject({ 'x-should-retry': 'false', 'www-authenticate': 'Bearer' });
  });

  it.concurrent('a revoked key is unknown and its streams end', async () => {
    const tenant = await rig.tenant();
    const path = deploymentSlug(await rig.deployment(tenant.account));
    const other = await rig.command(CreateKey, { account: tenant.account, name: 'another key' });
    for (const key of [tenant.key.value, other.value]) await rig.whenServed({ path, key });
    const hold = rig.hold();
    const open = (key: string): Promise<ClientStream[]> =>
      Promise.all(rig.gateways.map((gateway) => ClientStream.open({ gateway, path, key, text: hold.text })));
    const [revoked, kept] = [await open(tenant.key.value), await open(other.value)];
    for (const stream of [...revoked, ...kept]) await stream.whenSaid('first');
    const { propagated } = await rig.command(RevokeKey, { account: tenant.account, key: tenant.key.id });
    const first = await Promise.all(rig.gateways.map((gateway) => ask({ gateway, path, key: tenant.key.value })));
    if (propagated) expect(first.map(({ status }) => status)).toEqual([401, 401]);
    const refused = await everywhere('it is refused', { path, key: tenant.key.value }, is(401, 'invalid_api_key'));
    const unknown = await everywhere('an unknown key is refused', { path, key: UNKNOWN_KEY }, is(401, 'invalid_api_key'));
    expect(new Set([...refused, ...unknown].map(fingerprintOf)).size).toBe(1);
    for (const stream of revoked) {
      await stream.whenOver();
      expect(stream.ending).toEqual({ error: 'invalid_api_key', clean: false });
    }
    hold.release();
    for (const stream of kept) await stream.whenSaid('[DONE]');
  });

  it.concurrent('a suspended account’s keys are unknown until resumed', async () => {
    const [tenant, other] = [await rig.tenant(), await rig.tenant()];
    const path = deploymentSlug(await rig.deployment(tenant.account));
    const otherPath = deploymentSlug(await rig.deployment(other.account));
    await rig.whenServed({ path, key: tenant.key.value });
    await rig.whenServed({ path: otherPath, key: other.key.value });
    const hold = rig.hold();
    const open = (gateway: string): Promise<ClientStream> => ClientStream.open({ gateway, path, key: tenant.key.value, text: hold.text });
    const streams = await Promise.all(rig.gateways.map(open));
    for (const stream of streams) await stream.whenSaid('first');
    const state = (wanted: AccountState) => rig.command(SetAccountState, { account: tenant.account, state: wanted });
    const { propagated } = await state('suspended');
    const first = await Promise.all(rig.gateways.map((gateway) => ask({ gateway, path, key: tenant.key.value })));
    if (propagated) expect(first.map(({ status }) => status)).toEqual([401, 401]);
    const refused = await everywhere('it is refused', { path, key: tenant.key.value }, is(401, 'invalid_api_key'));
    const unknown = await everywhere('an unknown key is refused', { path, key: UNKNOWN_KEY }, is(401, 'invalid_api_key'));
    expect(new Set([...refused, ...unknown].map(fingerprintOf)).size).toBe(1);
    for (const stream of streams) {
      await stream.whenOver();
      expect(stream.ending).toEqual({ error: 'invalid_api_key', clean: false });
    }
    hold.release();
    await rig.whenServed({ path: otherPath, key: other.key.value });
    expect(await state('suspended')).toMatchObject({ id: tenant.account, state: 'suspended' });
    await state('active');
    await rig.whenServed({ path, key: tenant.key.value });
  });

  it.concurrent('a deleted account’s keys are unknown', async () => {
    const [tenant, other] = [await rig.tenant(), await rig.tenant()];
    const path = deploymentSlug(await rig.deployment(tenant.account));
    const otherPath = deploymentSlug(await rig.deployment(other.account));
    await rig.whenServed({ path, key: tenant.key.value });
    await rig.whenServed({ path: otherPath, key: other.key.value });
    const hold = rig.hold();
    const [gateway = ''] = rig.gateways;
    const stream = await ClientStream.open({ gateway, path, key: tenant.key.value, text: hold.text });
    await stream.whenSaid('first');
    await rig.command(DeleteAccount, { slug: tenant.slug, actor: { kind: 'ops' } });
    const refused = await everywhere('it is refused', { path, key: tenant.key.value }, is(401, 'invalid_api_key'));
    const unknown = await everywhere('an unknown key is refused', { path, key: UNKNOWN_KEY }, is(401, 'invalid_api_key'));
    expect(new Set([...refused, ...unknown].map(fingerprintOf)).size).toBe(1);
    await stream.whenOver();
    expect(stream.ending).toEqual({ error: 'invalid_api_key', clean: false });
    hold.release();
    await rig.whenServed({ path: otherPath, key: other.key.value });
  });

  // Last, and alone: it takes away what all others need.
  it('known keys work while both services are down', async () => {
    const tenant = await rig.tenant();
    const [path, key] = [deploymentSlug(await rig.deployment(tenant.account)), tenant.key.value];
    await rig.whenServed({ path, key });
    const services = ['keys-service', 'deployments-service'] as const;
    await Promise.all(services.map((app) => rig.process(app).stop('SIGKILL')));
    const stranger = { path, key: UNKNOWN_KEY };
    const nowhere = { path: 'deployment-999999', key };
    const unknowable = [
      ...(await everywhere('unknown keys cannot be recognised', stranger, is(503, 'auth_unavailable'))),
      ...(await everywhere('unknown deployments cannot be recognised', nowhere, is(503, 'deployment_unavailable'))),
    ];
    for (const { headers } of unknowable) expect(headers['retry-after']).toMatch(RETRY_AFTER);
    await rig.whenServed({ path, key });

    const late = rig.spawn('gateway');
    await until('the new gateway listens', () => late.port('gateway.listening'), 60_000);
    const gateway = rig.addressOf(late);
    expect((await fetch(`${gateway}/readyz`)).status).toBe(503);
    expect(is(503, 'auth_unavailable')(await ask({ gateway, path, key }))).toBe(true);

    await Promise.all(services.map((app) => rig.spawn(app).ready()));
    await late.ready();
    await everywhere('a stranger is refused', stranger, is(401, 'invalid_api_key'));
    await everywhere('unknown deployments are reported', nowhere, is(404, 'model_not_found'));
    const { value } = await rig.command(CreateKey, { account: tenant.account, name: 'a new key' });
    for (const call of [
      { path, key },
      { path, key: value },
    ]) {
      await rig.whenServed(call);
      await answerOf('the new gateway serves', { ...call, gateway }, ({ status }) => status === 200);
    }
  });
});
