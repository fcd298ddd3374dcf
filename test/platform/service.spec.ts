import { Controller, Inject, Injectable, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateAccount } from '@slipway/contracts';
import {
  ConfigError,
  connectNats,
  createLogger,
  defineService,
  LOG,
  type Logger,
  type NatsConnection,
  natsFragment,
  resource,
  RpcClient,
  serviceFragment,
} from '@slipway/platform';
import { Counter, Registry } from '@slipway/platform/metrics';
import { RpcHandler, startService } from '@slipway/platform/service';
import { freePorts, TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { until } from '../testing/until.js';

const ENV = 'skeleton';
const Config = z.object({ ...serviceFragment, ...natsFragment });

/** Events in the services of a test, by name, and what their handlers wait for. */
@Injectable()
class Journal {
  readonly entries: string[] = [];
  readonly waiting: (() => void)[] = [];
}

@Injectable()
class Store {
  constructor(private readonly journal: Journal) {}
  start(): void {
    this.journal.entries.push('store starts');
  }
  stop(): void {
    this.journal.entries.push('store stops');
  }
}

@Injectable()
class Loop {
  missing: string | null = null;

  constructor(
    private readonly journal: Journal,
    @Inject(LOG) private readonly log: Logger,
    metrics: Registry,
  ) {
    new Counter({ name: 'loop_total', help: 'Of a test.', registers: [metrics] }).inc();
  }
  start(): void {
    this.journal.entries.push('loop starts');
    this.log.info('loop.started');
  }
  stop(): void {
    this.journal.entries.push('loop stops');
  }
  notReady(): string | null {
    return this.missing;
  }
}

@Controller()
class Handlers {
  constructor(private readonly journal: Journal) {}

  @RpcHandler(CreateAccount)
  async create(@Payload() { slug }: { slug: string }): Promise<{ id: number; slug: string }> {
    this.journal.entries.push(`call ${slug}`);
    await new Promise<void>((resolve) => {
      this.journal.waiting.push(resolve);
    });
    this.journal.entries.push(`answer ${slug}`);
    return { id: 1, slug };
  }
}

@Module({ controllers: [Handlers], providers: [Journal, Store, Loop] })
class ProbeModule {}

const probe = defineService({
  name: 'probe',
  role: 'keys',
  config: Config,
  module: ProbeModule,
  resources: [resource(Store), resource(Loop)],
  rpc: {},
});

describe('a service inside a test', () => {
  let server: TestNatsServer;
  let nats: NatsConnection;

  beforeAll(async () => {
    server = await TestNatsServer.start();
    nats = await connectNats({ url: server.url, role: 'ops', name: 'test', log: createLogger('test', 'silent') });
  });
  afterAll(async () => {
    await nats?.close();
    await server?.end();
  });

  const config = (more: Partial<z.input<typeof Config>> = {}): z.input<typeof Config> => ({
    SLIPWAY_ENV: ENV,
    NATS_URL: server.url,
    ...more,
  });

  it('answers running calls before its resources stop', async () => {
    const running = await startService(probe, config());
    const { entries, waiting } = running.get(Journal);
    const answer = new RpcClient(nats, ENV).call(CreateAccount, { slug: 'late' });
    await until('the call runs', () => waiting.length === 1);
    const stopped = running.stop();
    expect(running.notReady()).toBe('draining');
    waiting[0]?.();
    await stopped;
    expect(await answer).toMatchObject({ slug: 'late' });
    expect(entries).toEqual(['store starts', 'loop starts', 'call late', 'answer late', 'loop stops', 'store stops']);
  });

  it('waits for running calls within a bound', async () => {
    const running = await startService(probe, config());
    const { entries, waiting } = running.get(Journal);
    void new RpcClient(nats, ENV).call(CreateAccount, { slug: 'stuck' }).catch(() => undefined);
    await until('the call runs', () => waiting.length === 1);
    await running.stop(200);
    expect(entries.slice(-2)).toEqual(['loop stops', 'store stops']);
    waiting[0]?.();
  });

  it('shares no metrics, logs or providers with others', async () => {
    const lines: string[][] = [[], []];
    const [one, other] = await Promise.all(lines.map((own) => startService(probe, config(), { log: (line) => own.push(line) })));
    if (!one || !other) return expect.unreachable();
    one.get(Loop).missing = 'the loop stands';
    expect([one.notReady(), other.notReady()]).toEqual(['the loop stands', null]);
    expect(one.get(Journal)).not.toBe(other.get(Journal));
    for (const metrics of [await one.metrics(), await other.metrics()]) expect(metrics).toMatch(/^loop_total\{service="probe"\} 1$/m);
    await Promise.all([one.stop(), other.stop()]);
    for (const own of lines) expect(own.filter((line) => line.includes('"loop.started"'))).toHaveLength(1);
    return undefined;
  });

  it('names every fault of its configuration', async () => {
    const wrong = startService(probe, config({ NATS_URL: 'http://x', DRAIN_MS: 'soon' }));
    await expect(wrong).rejects.toBeInstanceOf(ConfigError);
    await expect(wrong).rejects.toMatchObject({ problems: [expect.stringMatching(/^DRAIN_MS: /), expect.stringMatching(/^NATS_URL: /)] });
  });

  it('stops started parts when one fails', async () => {
    const [port = 0] = await freePorts(1);
    let entries: string[] = [];
    const broken = defineService({
      ...probe,
      resources: [
        resource(Store),
        {
          name: 'broken',
          token: Journal,
          start: (journal: Journal) => {
            entries = journal.entries;
            throw new Error('It does not start.');
          },
        },
      ],
    });
    const lines: string[] = [];
    await expect(startService(broken, config({ OPS_PORT: port }), { log: (line) => lines.push(line) })).rejects.toThrow('does not start');
    expect(entries).toEqual(['store starts', 'store stops']);
    expect(lines.filter((line) => line.includes('"lifecycle.start_failed"'))).toEqual([expect.stringContaining('"part":"broken"')]);
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('fetch failed');
  });
});

it('a service is unready without NATS', async () => {
  const [port = 0] = await freePorts(1);
  let server = await TestNatsServer.start({ port });
  const running = await startService(probe, { SLIPWAY_ENV: ENV, NATS_URL: server.url });
  expect(running.notReady()).toBeNull();
  await server.end();
  await until('the loss shows', () => running.notReady() === 'not connected to NATS');
  server = await TestNatsServer.start({ port });
  await until('the service is ready again', () => running.notReady() === null);
  await running.stop();
  await server.end();
});
