import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, type StreamResult, eventually, flawed, report, spread } from '../fleet.js';
import { FleetStage } from '../fleet-stage.js';
import type { RawGateway } from '../raw-gateway.js';

const MIB = 1024 * 1024;

describe('a start larger than a message', () => {
  let stage: FleetStage;
  let fleet: Fleet;
  let raw: RawGateway;
  let wk: string;

  beforeAll(async () => {
    stage = await FleetStage.open({ config: 'max_payload: 1MB\nmax_pending: 16MB\nwrite_deadline: "2s"' });
    fleet = await stage.fleet({ workers: 2 });
    raw = await stage.rawGateway();
    wk = fleet.someWorker;
  });

  afterAll(() => stage?.end());

  it('is sent in parts beside other streams', async () => {
    await fleet.openAndFlow({ count: 20, tokens: 120, hz: 30 });
    await fleet.gateway.ask('open', { count: 6, tokens: 20, hz: 30, seed: 100, pad: 5 * MIB });
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    report(
      'six starts of 5 MB',
      `ttft ${spread(results.slice(20).map((r) => r.ttft ?? Number.NaN))}, others' pause ${spread(results.slice(0, 20).map((r) => r.pause))}`,
    );
    expect(flawed(results.slice(0, 20), 120)).toEqual([]);
    expect(flawed(results.slice(20), 20)).toEqual([]);
  });

  it('is accepted up to the size limit', async () => {
    await fleet.renew();
    wk = fleet.someWorker;
    await fleet.gateway.ask('open', { count: 1, tokens: 5, hz: 30, pad: 32 * MIB });
    await fleet.gateway.ask('open', { count: 1, tokens: 5, hz: 30, pad: 34 * MIB });
    const [atLimit, above] = await fleet.gateway.ask<StreamResult[]>('results');
    expect(flawed([atLimit!], 5)).toEqual([]);
    expect(above).toMatchObject({ outcome: 'error', code: 'request_too_large', workers: [] });
  });

  it('runs when all parts have arrived', async () => {
    raw.sendParts(wk, raw.start('whole', 1, { pad: 'x'.repeat(2 * MIB) }));
    expect(await raw.frame('whole', 1, 'end')).toMatchObject({ fin: 'done' });
  });

  it('is rejected as incomplete without a part', async () => {
    raw.sendParts(wk, raw.start('holed', 1, { pad: 'x'.repeat(2 * MIB) }), { leaveOut: 2 });
    expect(await raw.frame('holed', 1, 'rej')).toMatchObject({ code: 'incomplete' });
    expect((await fleet.stats(wk)).starts.some(({ st }) => st === 'holed')).toBe(false);
  });

  it('is rejected as incomplete with a wrong checksum', async () => {
    raw.sendParts(wk, raw.start('forged', 1, { pad: 'x'.repeat(2 * MIB) }), { digest: '0'.repeat(64) });
    expect(await raw.frame('forged', 1, 'rej')).toMatchObject({ code: 'incomplete' });
    expect((await fleet.stats(wk)).starts.some(({ st }) => st === 'forged')).toBe(false);
  });

  it('is rejected as busy beyond four incomplete ones', async () => {
    for (let i = 0; i < 5; i += 1) raw.sendParts(wk, raw.start(`half-${i}`, 1, { pad: 'x'.repeat(MIB) }), { leaveOut: 0 });
    expect(await raw.frame('half-4', 1, 'rej')).toMatchObject({ code: 'busy' });
    await eventually(
      () => [0, 1, 2, 3].every((i) => raw.framesOf(`half-${i}`, 1).some((frame) => frame['code'] === 'incomplete')),
      'the others are refused',
    );
    raw.sendParts(wk, raw.start('later', 1, { pad: 'x'.repeat(MIB) }));
    expect(await raw.frame('later', 1, 'end')).toMatchObject({ fin: 'done' });
  });
});
