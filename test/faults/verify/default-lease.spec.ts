import { TestNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, type GatewayStats, type StreamResult, flawed, pause, report, spread } from '../fleet.js';

/** The lease of production: 10 s. */
describe('with the default lease', () => {
  let nats: TestNatsServer;
  let fleet: Fleet;

  beforeAll(async () => {
    nats = await TestNatsServer.start();
    fleet = await Fleet.start({ url: nats.url, workers: 3, gateways: 0 });
  });

  beforeEach(async () => await fleet.renew());

  afterAll(async () => {
    await fleet?.end();
    await nats?.end();
  });

  const expectRecovery = async (): Promise<void> => {
    await fleet.everybodyKnown();
    await fleet.gateway.ask('open', { count: 30, tokens: 20, hz: 30, seed: 5_000 });
    expect(flawed((await fleet.gateway.ask<StreamResult[]>('results')).slice(60), 20)).toEqual([]);
  };

  it('a gateway frozen for 12.5 s ends its streams', async () => {
    await fleet.openAndFlow({ count: 60, tokens: 900, hz: 30, gapMs: 3 });
    fleet.gateway.signal('SIGSTOP');
    await pause(12_500);
    const at = Date.now();
    fleet.gateway.signal('SIGCONT');
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    const { refusals } = await fleet.gateway.ask<GatewayStats>('stats');
    report('gateway SIGSTOP 12.5 s, wake to error', spread(results.map((r) => r.endedAt - at)));
    expect(results.filter((r) => r.outcome !== 'error' || r.code !== 'worker_lost' || r.wrong > 0)).toEqual([]);
    expect(refusals).toEqual({});
    await fleet.idle();
    await expectRecovery();
  });

  it('a nats-server lost for 7 s costs no token', async () => {
    await fleet.openAndFlow({ count: 60, tokens: 300, hz: 30, gapMs: 3 });
    await nats.kill();
    await pause(7_000);
    await nats.restart();
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    report('nats-server kill -9, back after 7 s', `pause ${spread(results.map((r) => r.pause))}`);
    expect(flawed(results, 300)).toEqual([]);
  });

  it('a nats-server lost for 14 s ends every stream', async () => {
    await fleet.openAndFlow({ count: 60, tokens: 3_000, hz: 30, gapMs: 3 });
    const at = Date.now();
    await nats.kill();
    await pause(14_000);
    await fleet.idle();
    await nats.restart();
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    report('nats-server away, outage to error', spread(results.map((r) => r.endedAt - at)));
    expect(results.filter((r) => r.outcome !== 'error' || r.code !== 'worker_lost' || r.wrong > 0)).toEqual([]);
    await expectRecovery();
  });

  it('a worker frozen for 12.5 s is used again', async () => {
    await fleet.openAndFlow({ count: 60, tokens: 500, hz: 30, gapMs: 3 });
    const victim = fleet.workers.get(fleet.someWorker)!;
    victim.signal('SIGSTOP');
    await pause(12_500);
    victim.signal('SIGCONT');
    const results = await fleet.gateway.ask<StreamResult[]>('results');
    expect(results.filter((r) => r.wrong > 0 || r.outcome === 'twice')).toEqual([]);
    await fleet.idle();
    await expectRecovery();
  });
});
