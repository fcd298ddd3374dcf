import { CreateAccount, FindAccount } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Bus, ENV } from '../services/bus.js';
import type { TestService } from '../services/test-service.js';
import { spawnKeysService, startKeysService } from './keys-service.js';

describe('keys-service at its start and end', () => {
  let postgres: TestPostgres;
  let bus: Bus;
  let ops: RpcClient;
  let started: TestService[] = [];

  beforeAll(async () => {
    [postgres, bus] = await Promise.all([startTestPostgres(), Bus.start()]);
    ops = new RpcClient(await bus.connect('ops'), ENV);
  });
  afterEach(async () => {
    await Promise.all(started.map((service) => service.end()));
    started = [];
  });
  afterAll(async () => {
    await bus.end();
    await postgres.stop();
  });

  const start = (environment: Record<string, string>): TestService => {
    const service = startKeysService(bus, environment);
    started.push(service);
    return service;
  };

  it('creates and migrates its database once for two replicas', async () => {
    const environment = { DATABASE_URL: postgres.url };
    const replicas = [start(environment), start(environment)];
    for (const replica of replicas) await replica.ready();
    const slug = 'twice';
    const { id } = await ops.call(CreateAccount, { slug });
    expect(await ops.call(FindAccount, { slug })).toEqual({ id, slug });
    for (const replica of replicas) await replica.lastWords();
    expect(replicas.filter((replica) => replica.logged('database.migrated'))).toHaveLength(1);
  });

  it('stops cleanly on SIGTERM and restarts with its data', async () => {
    const environment = { KEYS_DATABASE_URL: await postgres.createDatabase() };
    const first = spawnKeysService(bus, environment);
    started.push(first);
    await first.ready();
    const slug = 'kept';
    await ops.call(CreateAccount, { slug });
    expect(await first.stop()).toBe(0);
    await expect(ops.call(FindAccount, { slug })).rejects.toMatchObject({ reason: 'absent' });
    const second = start(environment);
    await second.ready();
    expect(await ops.call(FindAccount, { slug })).toMatchObject({ slug });
    await second.lastWords();
    expect(second.logged('database.migrated')).toBe(false);
  });

  it('reports a refused database password without its value', async () => {
    const url = new URL(postgres.url);
    url.password = 'not-this-one';
    const service = spawnKeysService(bus, { DATABASE_URL: url.href });
    started.push(service);
    expect(await service.exited).toBe(1);
    expect(service.output).toMatch(/^keys-service: The configuration is wrong\. DATABASE_URL.*: password authentication failed/m);
    expect(service.output).not.toMatch(/not-this-one|^ +at |\\n +at /m);
  });
});
