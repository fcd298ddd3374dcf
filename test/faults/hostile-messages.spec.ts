import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, type StreamResult, eventually, flawed } from './fleet.js';
import { FleetStage } from './fleet-stage.js';
import type { RawGateway } from './raw-gateway.js';

const GARBAGE = [
  '',
  'null',
  '42',
  '"x"',
  '[]',
  '{}',
  '{"k":7}',
  '{"k":"unknown"}',
  '{',
  '\u0000',
  '{"k":"ack","v":7}',
  '{"k":"ack","v":[[1],null,["a","b","c"]]}',
];

describe('a worker', () => {
  let stage: FleetStage;
  let fleet: Fleet;
  let raw: RawGateway;
  let wk: string;

  beforeAll(async () => {
    stage = await FleetStage.open();
    fleet = await stage.fleet({ workers: 1, slots: 32 });
    raw = await stage.rawGateway();
    wk = fleet.someWorker;
  });

  afterAll(() => stage?.end());

  it('rejects every malformed start and keeps serving', async () => {
    const starts = [
      ...GARBAGE,
      JSON.stringify({ ...raw.start('other', 1, {}) }),
      JSON.stringify({ ...raw.start('bad-12', 1, {}), dep: 'one' }),
    ];
    for (const [i, body] of starts.entries()) raw.sendStart(wk, body, { st: `bad-${i}`, at: 1 });
    raw.sendStart(wk, new Uint8Array([0xff, 0xfe, 0x7b]), { st: 'bad-utf8', at: 1 });
    for (const i of starts.keys()) expect(await raw.frame(`bad-${i}`, 1, 'rej')).toMatchObject({ code: 'malformed', wk });
    expect(await raw.frame('bad-utf8', 1, 'rej')).toMatchObject({ code: 'malformed' });

    raw.sendStart(wk, JSON.stringify(raw.start('good', 1, {})), { st: 'good', at: 1 });
    expect(await raw.frame('good', 1, 'end')).toMatchObject({ fin: 'done', q: 6 });
  });

  it('rejects contradictory parts', async () => {
    for (const [i, part] of ['x', '1/1', '5/2', '-1/2', '0/0', '99999/100000'].entries()) {
      raw.sendStart(wk, 'x', { st: `part-${i}`, at: 1, fields: { 'Inf-Part': part } });
      expect(await raw.frame(`part-${i}`, 1, 'rej')).toMatchObject({ code: 'malformed' });
    }
  });

  it('rejects starts that do not fit it', async () => {
    raw.sendStart(wk, JSON.stringify({ ...raw.start('dep', 1, {}), dep: 2 }), { st: 'dep', at: 1 });
    raw.sendStart(wk, JSON.stringify({ ...raw.start('rev', 1, {}), rev: 2 }), { st: 'rev', at: 1 });
    raw.sendStart(wk, JSON.stringify(raw.start('major', 1, {})), { st: 'major', at: 1, fields: { 'Inf-Proto': '2.0' } });
    raw.sendStart(wk, JSON.stringify(raw.start('late', 1, {})), { st: 'late', at: 1, fields: { 'Inf-Deadline-Ms': '0' } });
    expect(await raw.frame('dep', 1, 'rej')).toMatchObject({ code: 'not_here' });
    expect(await raw.frame('rev', 1, 'rej')).toMatchObject({ code: 'not_here' });
    expect(await raw.frame('major', 1, 'rej')).toMatchObject({ code: 'malformed' });
    expect(await raw.frame('late', 1, 'rej')).toMatchObject({ code: 'deadline' });
  });

  it('survives every malformed control message', async () => {
    for (const text of GARBAGE) raw.sendControl(wk, text);
    await raw.flush();
    raw.sendStart(wk, JSON.stringify(raw.start('after', 1, {})), { st: 'after', at: 1 });
    expect(await raw.frame('after', 1, 'end')).toMatchObject({ fin: 'done' });
  });

  it('runs a repeated start once and answers twice', async () => {
    const body = JSON.stringify(raw.start('twice', 1, {}));
    raw.sendStart(wk, body, { st: 'twice', at: 1 });
    raw.sendStart(wk, body, { st: 'twice', at: 1 });
    await raw.frame('twice', 1, 'end');
    expect(raw.framesOf('twice', 1).filter((frame) => frame['k'] === 'acc')).toHaveLength(2);
    expect((await fleet.stats(wk)).starts.filter(({ st }) => st === 'twice')).toHaveLength(1);
  });

  it('never runs a start cancelled before its arrival', async () => {
    raw.sendControl(wk, { k: 'cancel', st: 'early', at: 2, why: 'test' });
    for (const at of [1, 2, 3]) raw.sendStart(wk, JSON.stringify(raw.start('early', at, {})), { st: 'early', at });
    await raw.frame('early', 3, 'end');
    expect((await fleet.stats(wk)).starts.filter(({ st }) => st === 'early')).toEqual([{ st: 'early', at: 3 }]);
  });

  it('repeats its end frame until acknowledged', async () => {
    raw.sendStart(wk, JSON.stringify(raw.start('repeated', 1, {})), { st: 'repeated', at: 1 });
    await eventually(() => raw.framesOf('repeated', 1).filter((frame) => frame['k'] === 'end').length >= 3, 'the end is repeated');
    raw.sendControl(wk, { k: 'ack', v: [['repeated', 1, 6, 1]] });
    await raw.flush();
    raw.sendControl(wk, { k: 'replay', st: 'repeated', at: 1, from: 0 });
    raw.sendStart(wk, JSON.stringify(raw.start('next', 1, { tokens: 70 })), { st: 'next', at: 1 });
    await raw.frame('next', 1, 'acc');
    const count = raw.framesOf('repeated', 1).length;
    await raw.frame('next', 1, 'end');
    expect(raw.framesOf('repeated', 1)).toHaveLength(count);
  });

  it('replays from the requested event', async () => {
    raw.sendStart(wk, JSON.stringify(raw.start('replayed', 1, {})), { st: 'replayed', at: 1 });
    await raw.frame('replayed', 1, 'end');
    raw.sendControl(wk, { k: 'ack', v: [['replayed', 1, 2, 0]] });
    await raw.flush();
    const before = raw.framesOf('replayed', 1).length;
    raw.sendControl(wk, { k: 'replay', st: 'replayed', at: 1, from: 0 });
    await eventually(
      () =>
        raw
          .framesOf('replayed', 1)
          .slice(before)
          .some((frame) => frame['k'] === 'd'),
      'events come again',
    );
    const again = raw
      .framesOf('replayed', 1)
      .slice(before)
      .find((frame) => frame['k'] === 'd');
    expect(again).toMatchObject({ q: 2 });
    expect(again!['e']).toHaveLength(4);
  });

  it('still serves correct gateways', async () => {
    await fleet.gateway.ask('open', { count: 10, tokens: 20, hz: 60 });
    expect(flawed(await fleet.gateway.ask<StreamResult[]>('results'), 20)).toEqual([]);
  });
});
