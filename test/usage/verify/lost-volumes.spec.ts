import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { subjectOf, UsageRecorded, UsageStream, workStreamName } from '@slipway/contracts';
import { createLogger, ensureWorkStream, RecordSpool, WorkConsumer } from '@slipway/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bus, ENV } from '../../services/bus.js';
import { until } from '../../testing/until.js';

const SCRIPT = fileURLToPath(new URL('../../../deploy/make-streams.mjs', import.meta.url));
const log = createLogger('test', 'silent');
const name = workStreamName(UsageStream, ENV);
let bus: Bus;

beforeAll(async () => {
  bus = await Bus.start(3);
}, 60_000);
afterAll(() => bus?.end());

/** What the CronJob of the chart runs. */
async function makeMissing(): Promise<void> {
  const { PATH } = process.env;
  const env = { PATH, NATS_URL: bus.url, NATS_CREDENTIALS_DIR: bus.credentialsDir, SLIPWAY_ENV: ENV };
  await promisify(execFile)(process.execPath, [SCRIPT, '--missing'], { env, timeout: 90_000 });
}

async function streamConfig(): Promise<object | undefined> {
  const boot = await bus.connect('boot');
  return (await boot.request(`$JS.API.STREAM.INFO.${name}`, '', { timeout: 5_000 })).json<{ config?: object }>().config;
}

it('streams lost with all volumes return, and no record is lost', async () => {
  const place = { nats: await bus.connect('boot'), env: ENV, replicas: 3, timeoutMs: 5_000 };
  const make = (): Promise<boolean> =>
    ensureWorkStream(UsageStream, place).then(
      () => true,
      () => false,
    );
  await until('the cluster makes the stream', make, 60_000, 500);
  const records = new RecordSpool({
    nats: await bus.connect('gateway'),
    log,
    subject: subjectOf(UsageRecorded, { env: ENV }),
    recordsMax: 100_000,
  });
  const seen: number[] = [];
  const consumer = new WorkConsumer({
    nats: await bus.connect('keys'),
    env: ENV,
    stream: UsageStream,
    log,
    work: async (items) => void seen.push(...items.map(({ data }) => (JSON.parse(Buffer.from(data).toString()) as { n: number }).n)),
  });
  consumer.start();
  try {
    const put = (from: number): void => {
      for (let n = from; n < from + 200; n += 1) records.put(String(n), { n });
    };
    put(0);
    await until('the first are counted', () => seen.length === 200, 30_000);
    await Promise.all(bus.servers.map((server) => server.kill()));
    for (const i of bus.servers.keys()) await rm(join(bus.credentialsDir, `jetstream-${i}`), { recursive: true });
    put(200);
    await Promise.all(bus.servers.map((server) => server.restart()));
    put(400);
    expect(
      await until(
        'JetStream answers',
        () =>
          streamConfig().then(
            (config) => ({ config }),
            () => null,
          ),
        60_000,
        500,
      ),
    ).toEqual({
      config: undefined,
    });
    await makeMissing();
    await until('all are counted', () => new Set(seen).size === 600, 60_000);
    expect([seen.length, records.counters.dropped, records.waiting]).toEqual([600, 0, 0]);
  } finally {
    await consumer.stop();
    records.stop();
  }
}, 240_000);

it('streams that exist stay as they are', async () => {
  const limits = { ...UsageStream, bytesMax: 2_000_000 };
  await ensureWorkStream(limits, { nats: await bus.connect('boot'), env: ENV, timeoutMs: 10_000 });
  await makeMissing();
  expect(await streamConfig()).toMatchObject({ max_bytes: 2_000_000, num_replicas: 3 });
}, 120_000);
