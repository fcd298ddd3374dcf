import { describe, expect, it } from 'vitest';
import { pageOf } from './page.js';
import { cellOf, runOf } from './samples.fixture.js';

const rest = { way: 'slipway', processes: 1, bytes: 3 * 2 ** 20, wakeUpsPerSecond: 2 };
const cells = [0, 1, 2].flatMap((round) => [
  cellOf('short', 'nginx', round, { cpu: { nginx: 0.002 } }),
  cellOf('short', 'slipway', round, { cpu: { gateway: 0.02 + round / 500, postgres: 0.001 } }),
]);

describe('the page of a run', () => {
  it('has each load’s cost as a multiple of nginx’s', () => {
    const page = pageOf(runOf(cells));
    expect(page).toContain('| short request | 20 | 12 (11–13) | 230 (210–250) |');
    expect(page).toContain('| short request | 220 | 10 |');
  });

  it('leaves out what was not measured', () => {
    const page = pageOf(runOf([], { loads: [] }));
    expect(page).not.toMatch(/at rest|idle streams|short request/);
  });

  it('has every process at rest, and their sum', () => {
    const figures = [
      { ...rest, process: 'gateway', percent: 0.5 },
      { ...rest, process: 'worker', percent: 0.25 },
    ];
    const page = pageOf(runOf([], { loads: [], rest: figures }));
    expect(page).toContain('| slipway: worker | 1 | 0.25 % | 3 MiB | 2.0 |');
    expect(page).toContain('| slipway, all | 2 | 0.75 % | 6 MiB | 4.0 |');
  });

  it('has the growth of idle streams over all processes', () => {
    const bytes = { gateway: 10_240, worker: 20_480, postgres: 100 };
    const page = pageOf(runOf([], { loads: [], idle: [{ way: 'slipway', streams: 250, failed: 0, bytes }] }));
    expect(page).toContain('| slipway | 250 | 0 | 30.1 | gateway 10.0, worker 20.0 |');
  });
});
