import type { Role, ToldRelease } from '@slipway/contracts';
import type { GatheredReport } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { inTheWay, processTable, releasesText } from './releases.js';

const report = (role: string, release: string, level: number, rest: Partial<GatheredReport> = {}): GatheredReport => ({
  ...({ role, wk: `${role}-${release}`, host: 'host-1', release, protocol: '1.0', level, not_ready: null } as GatheredReport),
  ...rest,
});
const seen = (reports: GatheredReport[], answers: Partial<Record<Role, ToldRelease>> = {}) => ({
  reports,
  lowest: (role: Role): ToldRelease | null => answers[role] ?? null,
});

describe('what stands in the way of an update', () => {
  it('is nothing where all processes are new enough', () => {
    const fleet = seen([report('keys', '0.3.0', 9), report('gateway', '0.2.0', 0)], { keys: { release: '0.3.0', level: 9 } });
    expect(inTheWay(fleet)).toEqual([]);
  });

  it('is each old process, with its host', () => {
    const [first] = inTheWay(seen([report('keys', '0.3.0', 9), report('keys', '0.2.0', 0, { host: 'host-2' })]));
    expect(first).toMatch(/^keys-service runs 0\.2\.0 at host-2: update it before gateway, /);
  });

  it('is also a process that reports nothing', () => {
    const [first] = inTheWay(seen([], { keys: { release: null, level: 0 } }));
    expect(first).toMatch(/^keys-service runs an older release: update it before gateway, /);
  });
});

it('counts processes by release and lists them by name', () => {
  const reports = [report('gateway', '0.2.0', 0), report('gateway', '0.2.0', 0), report('agent', '0.1.0', 0, { not_ready: 'draining' })];
  expect(releasesText(reports)).toBe('2 × gateway 0.2.0, 1 × inference-worker 0.1.0');
  expect(processTable(reports).split('\n').at(-1)).toMatch(/^inference-worker +agent-0\.1\.0 +host-1 +0\.1\.0 +1\.0 +not ready: draining$/);
});
