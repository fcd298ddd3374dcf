import { setTimeout as delay } from 'node:timers/promises';
import { UsageRecorded, UsageStream, subjectOf, workStreamName } from '@slipway/contracts';
import { createLogger, ensureWorkStream, type Gathering, RecordSpool, WorkConsumer, type WorkConsumerOptions } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bus, ENV } from '../services/bus.js';
import { until } from '../testing/until.js';

const log = createLogger('test', 'silent');
const subject = subjectOf(UsageRecorded, { env: ENV });
const text = ({ data }: { data: Uint8Array }): number => (JSON.parse(Buffer.from(data).toString()) as { n: number }).n;

/** A promise and what resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('a work stream', () => {
  let bus: Bus;
  const stops: (() => unknown)[] = [];

  beforeEach(async () => {
    bus = await Bus.start();
  }, 60_000);
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await bus.end();
  }, 60_000);

  const make = async (stream = UsageStream): Promise<void> =>
    ensureWorkStream(stream, { nats: await bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
  /** The state of the stream or its consumer in JetStream. */
  const info = async <T>(call: string): Promise<T> => {
    const boot = await bus.connect('boot');
    return (await boot.request(`$JS.API.${call}`, '', { timeout: 5_000 })).json<T>();
  };
  const name = workStreamName(UsageStream, ENV);
  const unacknowledged = async (): Promise<number> =>
    (await info<{ num_ack_pending: number }>(`CONSUMER.INFO.${name}.${UsageStream.worker}`)).num_ack_pending;
  const spool = async (recordsMax = 100_000, gathering?: Gathering): Promise<RecordSpool> => {
    const made = new RecordSpool({ nats: await bus.connect('gateway'), log, subject, recordsMax, ...(gathering && { gathering }) });
    stops.push(() => made.stop());
    return made;
  };
  const consumer = async (work: WorkConsumerOptions['work']): Promise<WorkConsumer> => {
    const made = new WorkConsumer({ nats: await bus.connect('keys'), env: ENV, stream: UsageStream, log, work });
    made.start();
    stops.push(() => made.stop());
    return made;
  };

  it('keeps its records when it is made again', async () => {
    await make();
    const records = await spool();
    records.put('1', { n: 1 });
    await until('the record is kept', () => records.waiting === 0);
    await make();
    const seen: number[] = [];
    await consumer(async (items) => void seen.push(...items.map(text)));
    await until('the record arrives', () => seen.length === 1);
  }, 60_000);

  it('takes new limits of stream and consumer when made again', async () => {
    await make({ ...UsageStream, bytesMax: 1_000_000, ackWaitMs: 5_000 });
    await make();
    const stream = await info<{ config: { max_bytes: number; retention: string; discard: string } }>(`STREAM.INFO.${name}`);
    expect(stream.config).toMatchObject({ max_bytes: UsageStream.bytesMax, retention: 'workqueue', discard: 'new', num_replicas: 1 });
    const consumer = await info<{ config: object }>(`CONSUMER.INFO.${name}.${UsageStream.worker}`);
    expect(consumer.config).toMatchObject({
      ack_policy: 'explicit',
      ack_wait: UsageStream.ackWaitMs * 1_000_000,
      max_ack_pending: 4_000,
      max_deliver: -1,
    });
  }, 60_000);

  it('is consumed by a consumer that started before it', async () => {
    const seen: number[] = [];
    await consumer(async (items) => void seen.push(...items.map(text)));
    await delay(1_500);
    await make();
    const records = await spool();
    records.put('1', { n: 1 });
    await until('the record arrives', () => seen.length === 1, 10_000);
  }, 60_000);

  it('delivers at most one pull request while work takes long', async () => {
    await make();
    const records = await spool();
    const { opened, open } = gate();
    const seen: number[] = [];
    await consumer(async (items) => {
      await opened;
      seen.push(...items.map(text));
    });
    for (let n = 0; n < 400; n += 1) records.put(String(n), { n });
    await until('records are delivered', async () => (await unacknowledged()) > 0, 10_000);
    // Longer than a pull request stays open and than heartbeats may be missed.
    await delay(9_000);
    expect(await unacknowledged()).toBeLessThanOrEqual(100);
    open();
    await until('the rest is delivered', () => seen.length >= 400, 20_000);
    expect(new Set(seen).size).toBe(seen.length);
  }, 60_000);

  it('says how long its oldest event has waited', async () => {
    const { opened, open } = gate();
    let done = 0;
    const consuming = await consumer(async (items) => {
      await opened;
      done += items.length;
    });
    await until('it does not know, as there is no stream', () => consuming.lagMs > 1_000);
    await make();
    const records = await spool();
    await until('nothing waits', () => consuming.lagMs === 0);
    for (let n = 0; n < 300; n += 1) records.put(String(n), { n });
    const oldest = await until('the oldest waits', () => consuming.lagMs);
    await until('it waits for longer', () => consuming.lagMs > oldest + 2_000);
    expect(done).toBe(0);
    open();
    await until('all are processed', () => done === 300);
    await until('nothing waits', () => consuming.lagMs === 0);
  }, 60_000);

  it('waits at stop for running work and returns the rest', async () => {
    await make();
    const records = await spool();
    const { opened, open } = gate();
    const done: number[] = [];
    const first = await consumer(async (items) => {
      await opened;
      done.push(...items.map(text));
    });
    records.put('0', { n: 0 });
    await until('one is being processed', async () => (await unacknowledged()) === 1, 10_000);
    await delay(500);
    for (let n = 1; n < 50; n += 1) records.put(String(n), { n });
    await until('the others are delivered too', async () => (await unacknowledged()) === 50, 10_000);
    let stopped = false;
    const stopping = first.stop().then(() => (stopped = true));
    await delay(300);
    expect(stopped).toBe(false);
    open();
    await stopping;
    expect(done).toEqual([0]);
    // Much less than the 30 s after which the server redelivers by itself.
    const others: number[] = [];
    await consumer(async (items) => void others.push(...items.map(text)));
    await until('the others arrive elsewhere', () => others.length >= 49, 10_000);
    expect([...others].sort((a, b) => a - b)).toEqual(Array.from({ length: 49 }, (_, i) => i + 1));
  }, 60_000);

  it('gets records spooled before it existed and during outages', async () => {
    const records = await spool();
    for (let n = 0; n < 300; n += 1) records.put(String(n), { n });
    await until('a try has failed', () => records.counters.repeated > 0);
    await make();
    await until('all are kept', () => records.waiting === 0, 30_000);
    const seen = new Set<number>();
    await consumer(async (items) => {
      for (const item of items) seen.add(text(item));
    });
    await bus.servers[0]!.kill();
    for (let n = 300; n < 600; n += 1) records.put(String(n), { n });
    await bus.servers[0]!.restart();
    await until('all have arrived', () => seen.size === 600, 60_000);
    expect(records.counters.dropped).toBe(0);
  }, 120_000);

  it('delivers a failed batch again, a processed one never', async () => {
    await make();
    const records = await spool();
    const seen: number[] = [];
    let failures = 2;
    await consumer(async (items) => {
      if (failures > 0) {
        failures -= 1;
        throw new Error('not now');
      }
      seen.push(...items.map(text));
    });
    for (let n = 0; n < 50; n += 1) records.put(String(n), { n });
    await until('all have arrived', () => new Set(seen).size === 50, 30_000);
    const again: number[] = [];
    for (const stop of stops.splice(1)) await stop();
    await consumer(async (items) => void again.push(...items.map(text)));
    records.put('last', { n: 99 });
    await until('the last one arrives', () => again.includes(99), 30_000);
    expect(again).toEqual([99]);
  }, 120_000);

  it('gets the newest record of a name; surplus is dropped', async () => {
    const records = await spool(2);
    records.put('a', { n: 1 });
    records.put('b', { n: 2 });
    records.put('c', { n: 3 });
    records.put('a', { n: 4 });
    expect([records.waiting, records.counters.dropped]).toEqual([2, 1]);
    await make();
    const seen: number[] = [];
    await consumer(async (items) => void seen.push(...items.map(text)));
    await until('the newest arrive', () => seen.includes(4) && seen.includes(2), 30_000);
    expect(seen).not.toContain(3);
  }, 120_000);

  /** Messages in order of arrival; a gathered one is the list of its numbers. */
  const messages = async (): Promise<(number | number[])[]> => {
    const seen: (number | number[])[] = [];
    await consumer(async (items) => {
      for (const { data } of items) {
        const message = JSON.parse(Buffer.from(data).toString()) as { n: number } | { records: { n: number }[] };
        seen.push('records' in message ? message.records.map(({ n }) => n) : message.n);
      }
    });
    return seen;
  };
  const gathering = (waitMs: number, recordsMax = 3): Gathering => ({ waitMs, recordsMax, message: (records) => ({ records }) });
  const FOR_EVER = 600_000;

  it('gets full messages at once, others after their wait', async () => {
    await make();
    const seen = await messages();
    const patient = await spool(100_000, gathering(FOR_EVER));
    for (let n = 0; n < 7; n += 1) patient.put(String(n), { n });
    await until('full messages arrive', () => seen.length === 2, 30_000);
    expect([seen, patient.waiting, patient.counters.kept]).toEqual([
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
      1,
      6,
    ]);
    expect(patient.oldestMs()).toBeGreaterThan(0);
    const hasty = await spool(100_000, gathering(20));
    hasty.put('7', { n: 7 });
    hasty.put('8', { n: 8 });
    await until('a message that is not full arrives', () => seen.length === 3, 30_000);
    hasty.put('9', { n: 9 });
    await until('a lone record arrives', () => seen.length === 4, 30_000);
    expect(seen.slice(2)).toEqual([[7, 8], 9]);
  }, 120_000);

  it('gets waiting records with an urgent one, and at drain', async () => {
    await make();
    const seen = await messages();
    const records = await spool(100_000, gathering(FOR_EVER, 10));
    records.put('0', { n: 0 });
    records.put('1', { n: 1 }, true);
    await until('both arrive', () => seen.length === 1, 30_000);
    records.put('2', { n: 2 });
    records.put('3', { n: 3 });
    await records.drain(30_000);
    expect([records.waiting, records.counters.kept]).toEqual([0, 4]);
    records.put('4', { n: 4 });
    await until('what came after the drain arrives', () => seen.length === 3, 30_000);
    expect(seen).toEqual([[0, 1], [2, 3], 4]);
  }, 120_000);

  it('gets every gathered record that was put during outages', async () => {
    await make();
    const seen = await messages();
    const records = await spool(100_000, gathering(20, 50));
    await bus.servers[0]!.kill();
    for (let n = 0; n < 170; n += 1) records.put(String(n), { n });
    records.put('5', { n: 1_005 });
    expect(records.waiting).toBe(170);
    await bus.servers[0]!.restart();
    await until('all are kept', () => records.waiting === 0, 60_000);
    await until('all have arrived', () => new Set(seen.flat()).size === 170, 60_000);
    expect(seen.flat()).toContain(1_005);
    expect(seen.flat()).not.toContain(5);
    expect(records.counters.dropped).toBe(0);
  }, 120_000);
});
