import { UsageRecorded, UsageStream, subjectOf } from '@slipway/contracts';
import { createLogger, ensureWorkStream, type Gathering, RecordSpool, WorkConsumer, type WorkConsumerOptions } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bus, ENV } from '../services/bus.js';
import { until } from '../testing/until.js';

const log = createLogger('test', 'silent');
const subject = subjectOf(UsageRecorded, { env: ENV });
const text = ({ data }: { data: Uint8Array }): number => (JSON.parse(Buffer.from(data).toString()) as { n: number }).n;

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

  const make = async (): Promise<void> => ensureWorkStream(UsageStream, { nats: await bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
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

  it('may be made again and again, and keeps what it holds', async () => {
    await make();
    const records = await spool();
    records.put('1', { n: 1 });
    await until('the record is kept', () => records.waiting === 0);
    await make();
    const seen: number[] = [];
    await consumer(async (items) => void seen.push(...items.map(text)));
    await until('the record arrives', () => seen.length === 1);
  }, 60_000);

  it('gets what was spooled before it existed, and while the server was away', async () => {
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

  it('gives a batch that failed again, and nothing that was worked off', async () => {
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

  it('sends the newest of records with one name, and drops those for which there is no room', async () => {
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

  /** Messages as they arrive; a gathered one is the list of its numbers. */
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

  it('gets records that were gathered: full messages at once, others after their wait, a lone one by itself', async () => {
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

  it('gets at once a record that may not wait, with those that wait, and all that wait at a drain', async () => {
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

  it('gets each of the gathered records that were put while the server was away, the newest of each name', async () => {
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
