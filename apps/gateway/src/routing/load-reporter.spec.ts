import { type DeploymentId, GatewayLoad, GATEWAY_LOADS_MAX, Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { LoadReporter } from './load-reporter.js';

const gw = Incarnation.parse('gw-1');
const dep = (id: number): DeploymentId => id as DeploymentId;

class Bench {
  readonly sent: GatewayLoad['loads'][] = [];
  loads = new Map<DeploymentId, { inFlight: number; queued: number }>();
  readonly reporter = new LoadReporter({
    nats: {
      isClosed: () => false,
      publish: (_, json) => void this.sent.push(GatewayLoad.message.parse(JSON.parse(String(json))).loads),
    },
    env: 'test',
    gw,
    router: { loads: () => this.loads },
  });
}

describe('a gateway’s load report', () => {
  it('is not sent while there is no traffic', () => {
    const bench = new Bench();
    for (let i = 0; i < 3; i += 1) bench.reporter.report();
    expect(bench.sent).toEqual([]);
  });

  it('repeats what runs, and ends with a zero', () => {
    const bench = new Bench();
    bench.loads.set(dep(1), { inFlight: 2, queued: 1 });
    bench.reporter.report();
    bench.reporter.report();
    bench.loads.clear();
    for (let i = 0; i < 3; i += 1) bench.reporter.report();
    const busy = [{ dep: 1, in_flight: 2, queued: 1 }];
    expect(bench.sent).toEqual([busy, busy, [{ dep: 1, in_flight: 0, queued: 0 }]]);
  });

  it('is split where there are very many deployments', () => {
    const bench = new Bench();
    for (let id = 1; id <= GATEWAY_LOADS_MAX + 1; id += 1) bench.loads.set(dep(id), { inFlight: 1, queued: 0 });
    bench.reporter.report();
    expect(bench.sent.map(({ length }) => length)).toEqual([GATEWAY_LOADS_MAX, 1]);
  });
});
