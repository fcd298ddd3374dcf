import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateAccount, CreateKey, FindAccount, FindMcpKey, ListKeys, ServiceError } from '@slipway/contracts';
import {
  type ArrivedCall,
  connectNats,
  createLogger,
  defineService,
  NATS,
  type NatsConnection,
  natsFragment,
  RpcClient,
  RpcResponder,
  serviceFragment,
  UnansweredError,
} from '@slipway/platform';
import { RpcHandler, type RunningService, startService } from '@slipway/platform/service';
import { TcpGate, TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const env = 'rpc';
const log = createLogger('test', 'silent');

/** Admits every call and records it. */
const arrived: ArrivedCall[] = [];
const admit = (call: ArrivedCall): Promise<unknown> => {
  arrived.push(call);
  return Promise.resolve(call.request);
};

let calls = 0;
/** Functions that end the pending slow calls, in order. */
const waiting: (() => void)[] = [];

@Controller()
class ProbeHandlers {
  @RpcHandler(CreateAccount)
  create(@Payload() request: { slug: string }): { id: number; slug: string } {
    calls += 1;
    if (request.slug === 'taken') throw new ServiceError('slug_taken', 'This slug is taken.', { param: 'slug' });
    if (request.slug === 'broken') throw new Error('connection string postgres://secret');
    if (request.slug === 'off-contract') throw new ServiceError('overloaded', 'not in the contract');
    return { id: 1, slug: request.slug };
  }

  @RpcHandler(FindAccount)
  find(): { id: string } {
    return { id: 'not a number' };
  }

  @RpcHandler(ListKeys)
  async slow(): Promise<{ keys: [] }> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
    return { keys: [] };
  }
}

const GATE = Symbol('gate');

@Module({ controllers: [ProbeHandlers], providers: [{ provide: GATE, useFactory: () => ({ admit }) }] })
class ProbeModule {}

const probe = defineService({
  name: 'probe',
  role: 'keys',
  config: z.object({ ...serviceFragment, ...natsFragment }),
  module: ProbeModule,
  rpc: { gate: GATE },
});

let server: TestNatsServer;
let serving: NatsConnection;
let asking: NatsConnection;
let client: RpcClient;
let service: RunningService;

beforeAll(async () => {
  server = await TestNatsServer.start();
  asking = await connectNats({ url: server.url, role: 'ops', name: 'asking', log });
  client = new RpcClient(asking, env);
  service = await startService(probe, { SLIPWAY_ENV: env, NATS_URL: server.url, DRAIN_MS: 1_000 });
  serving = service.get<NatsConnection>(NATS);
});

afterAll(async () => {
  await service.stop();
  await asking.close();
  await server.end();
});

const failure = (work: Promise<unknown>): Promise<ServiceError> =>
  work.then(
    () => Promise.reject(new Error('The call succeeded.')),
    (error: unknown) => error as ServiceError,
  );

describe('a service that starts', () => {
  it('is ready only once subscribed', async () => {
    const gate = await TcpGate.open(server.url);
    let isSilent = false;
    const silence = (): void => {
      gate.swallow();
      isSilent = true;
    };
    const late = defineService({ ...probe, resources: [{ name: 'silence', token: GATE, start: silence }] });
    let running: RunningService | undefined;
    const starting = startService(late, { SLIPWAY_ENV: 'late', NATS_URL: gate.through(server.url) }).then((started) => {
      running = started;
      return started;
    });
    await expect.poll(() => isSilent).toBe(true);
    await asking.flush();
    expect(running).toBeUndefined();
    gate.allow();
    await starting;
    expect(await new RpcClient(asking, 'late').call(CreateAccount, { slug: 'acme' })).toEqual({ id: 1, slug: 'acme' });
    await running?.stop();
    await gate.end();
  });
});

describe('a call between services', () => {
  it('answers by the contract', async () => {
    expect(await client.call(CreateAccount, { slug: 'acme' })).toEqual({ id: 1, slug: 'acme' });
  });

  it('refuses an invalid request before the handler', async () => {
    const before = calls;
    const error = await failure(client.call(CreateAccount, { slug: '*' }));
    expect(error.code).toBe('invalid_request');
    expect(error.param).toBe('slug');
    expect(calls).toBe(before);
  });

  it('passes caller and proof to the gate', async () => {
    await client.withProof('a.b.c').call(CreateAccount, { slug: 'acme' });
    await client.call(CreateAccount, { slug: 'acme' });
    const [proven, unproven] = arrived.slice(-2);
    expect(proven).toMatchObject({ caller: 'ops', proof: 'a.b.c', request: { slug: 'acme' }, contract: CreateAccount });
    expect([unproven?.caller, unproven?.proof]).toEqual(['ops', undefined]);
  });

  it('is not served without a gate', () => {
    expect(() => new RpcResponder({ nats: serving, env, log }, ListKeys, () => Promise.resolve({}))).toThrow(/proof/);
  });

  it('fails when its reply is too large', async () => {
    const endless = { ...FindMcpKey, proof: 'role', timeoutMs: 60_000 } as const;
    const answer = { key: null, last_client: 'x'.repeat(2_000_000) };
    const responder = new RpcResponder({ nats: serving, env, log }, endless, () => Promise.resolve(answer));
    try {
      await serving.flush();
      expect((await failure(client.call(endless, { account: 1 }))).code).toBe('internal');
    } finally {
      await responder.close();
    }
  });

  it('ignores unknown fields', async () => {
    const newer = { slug: 'acme', region: 'eu' };
    expect(await client.call(CreateAccount, newer)).toEqual({ id: 1, slug: 'acme' });
  });

  it('returns errors of the contract with their field', async () => {
    expect(await failure(client.call(CreateAccount, { slug: 'taken' }))).toMatchObject({ code: 'slug_taken', param: 'slug' });
  });

  it.each(['broken', 'off-contract'])('turns other failures into a silent "internal": %s', async (slug) => {
    const error = await failure(client.call(CreateAccount, { slug }));
    expect(error.code).toBe('internal');
    expect(JSON.stringify([error.message, error.facts])).not.toMatch(/secret|contract/);
  });

  it('turns an invalid reply into "internal"', async () => {
    expect((await failure(client.call(FindAccount, { slug: 'acme' }))).code).toBe('internal');
  });

  it('distinguishes an absent service from silence', async () => {
    const error = await failure(client.call(CreateKey, { account: 1, name: 'x' }));
    expect(error).toBeInstanceOf(UnansweredError);
    expect((error as UnansweredError).reason).toBe('absent');
  });

  it('reports a timeout', async () => {
    const error = await failure(client.call({ ...ListKeys, timeoutMs: 50 }, { account: 1 }));
    // The request may arrive after its caller has gone.
    await expect.poll(() => waiting.length).toBe(1);
    waiting.pop()?.();
    expect((error as UnansweredError).reason).toBe('timeout');
  });

  it('finishes running calls when the service stops', async () => {
    const answer = client.call(ListKeys, { account: 1 });
    await expect.poll(() => waiting.length).toBe(1);
    const closing = service.stop();
    waiting.pop()?.();
    expect(await answer).toEqual({ keys: [] });
    await closing;
    expect(((await failure(client.call(CreateAccount, { slug: 'acme' }))) as UnansweredError).reason).toBe('absent');
  });
});
