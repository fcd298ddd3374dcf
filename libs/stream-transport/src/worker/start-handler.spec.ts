import type { Frame, Incarnation, Start } from '@slipway/contracts';
import { headers, type Msg } from '@slipway/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_STREAM_SETTINGS } from '../stream-settings.js';
import type { Admission, Generation, UnreadStart } from '../types.js';
import { subjectsOf } from '../wire/subjects.js';
import { newSenderCounters } from './load-reporter.js';
import { StartHandler } from './start-handler.js';
import { StreamTable } from './stream-table.js';

const KIB = 1024;
const silent: Generation = { run: () => new Promise(() => undefined) };
const head = { st: 's', at: 1, dep: 7, rev: 2, api: 'chat' };
const bodyOf = (bytes: number, changes: object = {}): Buffer => {
  const req = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(bytes) }] }], sampling: {}, stop: [] };
  return Buffer.from(JSON.stringify({ ...head, ...changes, req }));
};
/** A readable head with a body that cannot be parsed. */
const broken = (bytes: number): Buffer => Buffer.concat([bodyOf(bytes), Buffer.from('{')]);

/** A handler that by default admits everything. */
class Bench {
  readonly sent: Frame[] = [];
  readonly read: Start[] = [];
  readonly unread: UnreadStart[] = [];
  readonly counters = newSenderCounters();
  draining = false;
  accepted = 0;
  readonly #desk: StartHandler;

  constructor(admission: Partial<Admission> = {}) {
    this.#desk = new StartHandler({
      identity: { wk: 'w' as Incarnation, dep: 7, rev: 2, fingerprint: 'f', caps: [], zone: null } as never,
      settings: DEFAULT_STREAM_SETTINGS,
      subjects: subjectsOf('test'),
      counters: this.counters,
      publisher: { send: (_: string, json: string) => this.sent.push(JSON.parse(json) as Frame) } as never,
      table: new StreamTable(DEFAULT_STREAM_SETTINGS, this.counters, 0),
      host: { settings: DEFAULT_STREAM_SETTINGS, now: () => 0, settled: () => undefined } as never,
      admission: {
        admit: (start) => {
          this.read.push(start);
          return silent;
        },
        admitUnread: (start) => {
          this.unread.push(start);
          return silent;
        },
        ...admission,
      },
      load: () => ({ state: 'ready', slots: 1, used: 1, queued: 0 }),
      draining: () => this.draining,
      accepted: () => (this.accepted += 1),
      begun: () => undefined,
      log: { error: () => undefined },
    });
  }

  arrives(data: Buffer): void {
    this.#desk.handle({ reply: 'inf.test.v1.g.gw.r.s.1', headers: headers(), data } as unknown as Msg, 0);
  }

  get codes(): string[] {
    return this.sent.map((frame) => (frame.k === 'rej' ? frame.code : frame.k));
  }
}

describe('a start at its worker', () => {
  let bench: Bench;
  beforeEach(() => void (bench = new Bench()));

  it('is refused by its head without parsing the request', () => {
    const full = new Bench({ refusal: () => 'busy' });
    full.arrives(broken(100 * KIB));
    full.arrives(broken(8 * KIB));
    bench.arrives(bodyOf(8 * KIB, { dep: 8 }));
    bench.draining = true;
    bench.arrives(broken(100 * KIB));
    expect([full.codes, bench.codes]).toEqual([
      ['busy', 'busy'],
      ['not_here', 'draining'],
    ]);
    expect(bench.counters.malformed + full.counters.malformed).toBe(0);
  });

  it('is passed on unparsed when it is large', () => {
    const body = bodyOf(64 * KIB);
    bench.arrives(body);
    expect(bench.unread.map(({ body: _body, ...rest }) => rest)).toEqual([head]);
    expect(body.equals(bench.unread[0]!.body)).toBe(true);
    expect([bench.read, bench.accepted]).toEqual([[], 1]);
  });

  it('is parsed at once when small or headless', () => {
    bench.arrives(bodyOf(32 * KIB));
    const reading = new Bench({ admitUnread: undefined });
    reading.arrives(bodyOf(64 * KIB));
    const older = new Bench();
    const { api, ...rest } = JSON.parse(bodyOf(64 * KIB).toString()) as Start;
    older.arrives(Buffer.from(JSON.stringify({ ...rest, api })));
    expect([bench, reading, older].map(({ unread, accepted }) => [unread.length, accepted])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });

  it('is malformed when unreadable or for another stream', () => {
    for (const body of [broken(1), broken(8 * KIB), bodyOf(8 * KIB, { st: 'other' }), bodyOf(100 * KIB, { at: 2 }), Buffer.from('{')])
      bench.arrives(body);
    expect(bench.codes).toEqual(Array.from({ length: 5 }, () => 'malformed'));
    expect(bench.counters.malformed).toBe(5);
  });
});
