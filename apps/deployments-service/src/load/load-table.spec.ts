import { type DeploymentId, Incarnation } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { LoadTable } from './load-table.js';

const dep = 1 as DeploymentId;
const gw = (name: string): Incarnation => Incarnation.parse(name);

let now: number;
let table: LoadTable;
beforeEach(() => {
  now = 0;
  table = new LoadTable(() => now);
});

const report = (name: string, inFlight: number, queued = 0): void =>
  table.report({ gw: gw(name), loads: [{ dep, in_flight: inFlight, queued }] });

describe('the load of a deployment', () => {
  it('is the sum over gateways', () => {
    report('one', 2, 1);
    now = 500;
    report('two', 3);
    expect(table.of(dep)).toEqual({ inFlight: 5, queued: 1, gateways: 2, ageMs: 500 });
    expect(table.of(2 as DeploymentId)).toEqual({ inFlight: 0, queued: 0, gateways: 0, ageMs: 0 });
  });

  it('loses the figures of a gateway that fell silent', () => {
    report('one', 2);
    now = 4_000;
    report('two', 1);
    now = 5_001;
    expect(table.of(dep)).toMatchObject({ inFlight: 1, gateways: 1 });
  });

  it('is nothing once a gateway reports zero', () => {
    report('one', 2);
    report('one', 0);
    expect(table.of(dep)).toMatchObject({ inFlight: 0, gateways: 0 });
  });

  it('leaves out gateways above the bound until others are gone', () => {
    for (let i = 0; i < 1_001; i += 1) report(`gw-${i}`, 1);
    expect(table.of(dep).gateways).toBe(1_000);
    now = 6_000;
    report('late', 1);
    expect(table.of(dep).gateways).toBe(1);
  });
});
