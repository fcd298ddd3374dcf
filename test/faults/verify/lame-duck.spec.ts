import { startNatsCluster } from '@slipway/testing';
import { expect, it } from 'vitest';
import { Fleet, type GatewayStats, flawed, pause, report, spread } from '../fleet.js';

/** Connections are closed from a second after the notice on, one each second at the latest. */
const GRACE = 'lame_duck_duration: "30s"\nlame_duck_grace_period: "1s"';
const TOKENS = 240;

/** Streams over two NATS servers, of which one leaves in lame duck mode while the process that is connected to it stands still. */
async function leave(whose: 'worker' | 'gateway', stillMs: number): Promise<{ results: StreamResults; stats: GatewayStats }> {
  const cluster = await startNatsCluster(3, GRACE);
  const [first, second] = cluster.servers;
  let fleet: Fleet | undefined;
  try {
    fleet = await Fleet.start({ url: first!.url, workerUrl: second!.url, workers: 1 });
    await fleet.openAndFlow({ count: 20, tokens: TOKENS, hz: 30 });
    const [server, process] = whose === 'worker' ? [second, fleet.workers.get(fleet.someWorker)] : [first, fleet.gateway];
    server!.lameDuck();
    await pause(800);
    process!.signal('SIGSTOP');
    await pause(stillMs);
    process!.signal('SIGCONT');
    const results = await fleet.gateway.ask<StreamResults>('results');
    report(`lame duck under a ${whose} that stands still`, `pause ${spread(results.map((r) => r.pause))}`);
    return { results, stats: await fleet.gateway.ask<GatewayStats>('stats') };
  } finally {
    await fleet?.end();
    await cluster.end();
  }
}

type StreamResults = Parameters<typeof flawed>[0];

it.each([
  ['worker', 1_800],
  ['gateway', 3_500],
] as const)('a lame duck costs a starved %s no stream', async (whose, stillMs) => {
  const { results, stats } = await leave(whose, stillMs);
  expect(flawed(results, TOKENS)).toEqual([]);
  expect(stats.counters).toMatchObject({ lostWorkers: 0, lostStreams: 0, failed: 0 });
});

it('a worker that dies as it moves ends explicitly', async () => {
  const cluster = await startNatsCluster(3, GRACE);
  let fleet: Fleet | undefined;
  try {
    fleet = await Fleet.start({ url: cluster.servers[0]!.url, workerUrl: cluster.servers[1]!.url, workers: 1 });
    await fleet.openAndFlow({ count: 20, tokens: TOKENS, hz: 30 });
    cluster.servers[1]!.lameDuck();
    await pause(900);
    const at = Date.now();
    await fleet.killWorker(fleet.someWorker);
    const results = await fleet.gateway.ask<StreamResults>('results');
    report('worker kill -9 in a lame duck', spread(results.map((r) => r.endedAt - at)));
    expect(results.filter((r) => r.code !== 'worker_lost' || r.wrong > 0 || r.endedAt - at > 4_000)).toEqual([]);
  } finally {
    await fleet?.end();
    await cluster.end();
  }
});
