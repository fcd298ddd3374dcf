import { describe, expect, it } from 'vitest';
import type { Measurement } from './measurement.js';
import { rowsOf } from './report.js';
import { noTokens } from './token-ledger.js';
import { verdictLines, verdictsOf } from './verdicts.js';

const spread = (p50: number, p99: number) => ({ count: 100, p50, p99, max: p99 });

function measured(
  load: string,
  way: Measurement['way'],
  cpu: Record<string, number>,
  [p50, p99]: readonly [number, number] = [1, 2],
): Measurement {
  const result = {
    seconds: 2,
    completed: 90,
    failed: 0,
    statuses: {},
    firstFailure: null,
    ttft: spread(p50, p99),
    total: spread(p50, p99),
    lateness: spread(0, 0),
    counts: { ...noTokens(), tokens: 1_600, lost: 3 },
  };
  return { load, way, gapMs: 0, result, cpu, upstream: { lag: spread(0, 0), requests: 100 } };
}

const withFailed = (measurement: Measurement, failed: number): Measurement => ({
  ...measurement,
  result: { ...measurement.result, failed },
});

describe('the figures of a run', () => {
  it('are per answered request and per token that arrived, failed requests included', () => {
    const [row] = rowsOf([withFailed(measured('short', 'slipway', { gateway: 0.02, worker: 0.04, nats: 0.01 }), 10)]);
    expect(row).toMatchObject({ perSecond: 50, tokensPerSecond: 800, failed: 10, lost: 3, ratio: null });
    expect(row?.cpuPerRequest).toEqual({ gateway: 200, worker: 400, nats: 100 });
    expect(row?.cpuPerToken).toEqual({ gateway: 12.5, worker: 25, nats: 6.3 });
  });

  it('are compared with nginx at the same load, gateway and worker together, without nats-server', () => {
    const rows = rowsOf([
      measured('short', 'nginx', { nginx: 0.01 }),
      measured('short', 'slipway', { gateway: 0.02, worker: 0.04, nats: 0.5 }),
      measured('other', 'slipway', { gateway: 0.02, worker: 0.04, nats: 0.5 }),
    ]);
    expect(rows.map(({ ratio }) => ratio)).toEqual([null, 6, null]);
  });
});

describe('the targets', () => {
  const rows = rowsOf([
    measured('short', 'nginx', { nginx: 0.01 }),
    measured('short', 'slipway', { gateway: 0.05, worker: 0.06, nats: 0.5 }),
    measured('paced 64', 'nginx', { nginx: 0.1 }),
    measured('paced 64', 'slipway', { gateway: 0.1, worker: 0.15, nats: 0.5 }),
    measured('first-token at 9/s', 'direct', {}, [1, 2]),
    measured('first-token at 9/s', 'slipway', {}, [2.5, 11]),
    measured('refused key', 'slipway', { gateway: 0.0072 }),
  ]);

  it('hold or are missed by what was measured', () => {
    const idle = { streams: 10, failed: 0, gateway: 30 * 1024, gatewayResident: 0, worker: 0 };
    expect(verdictsOf(rows, { highestRung: 64, idle }).map(({ figure, holds }) => [figure, holds])).toEqual([
      [2.5, true],
      [11, false],
      [1.5, true],
      [9, false],
      [30, true],
      [80, true],
    ]);
  });

  it('are missed where a request of their load failed, whatever the figure', () => {
    const idle = { streams: 1_024, failed: 500, gateway: 10 * 1024, gatewayResident: 0, worker: 0 };
    const failing = rowsOf([withFailed(measured('refused key', 'slipway', { gateway: 0.0091 }), 1)]);
    const verdicts = verdictsOf(failing, { idle });
    expect(verdicts.map(({ figure, failed, holds }) => [figure, failed, holds])).toEqual([
      [10, 500, false],
      [100, 1, false],
    ]);
    expect(verdictLines(verdicts)[0]).toMatch(/^missed .*at 1024 streams: 10 .*500 of its requests failed$/);
  });

  it('are left out where nothing was measured', () => {
    expect(verdictsOf([], {})).toEqual([]);
    const shrunk = { streams: 256, failed: 0, gateway: -22 * 1024, gatewayResident: -1, worker: 0 };
    expect(verdictsOf([], { idle: shrunk })).toEqual([]);
  });
});
