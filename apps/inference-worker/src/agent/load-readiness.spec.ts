import type { AgentLoad, DeploymentId } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { LoadReadiness } from './load-readiness.js';

const load = (dep: number, state: AgentLoad['state']): Pick<AgentLoad, 'dep' | 'rev' | 'state'> => ({
  dep: dep as DeploymentId,
  rev: 1,
  state,
});

let now = 5_000;
let readiness: LoadReadiness;
beforeEach(() => {
  readiness = new LoadReadiness(() => now);
});

describe('the readiness of a worker', () => {
  it('waits for a first assignment, but not for ever', () => {
    expect(readiness.notReady([])).toBe('no assignment has come');
    now += 10_000;
    expect(readiness.notReady([])).toBeNull();
  });

  it('comes with an empty assignment at once', () => {
    readiness.assigned();
    expect(readiness.notReady([])).toBeNull();
  });

  it('names what loads, and goes again when more is assigned', () => {
    readiness.assigned();
    expect(readiness.notReady([load(1, 'loading'), load(2, 'ready'), load(3, 'loading')])).toBe('loading deployment-1, deployment-3');
    expect(readiness.notReady([load(1, 'ready'), load(2, 'ready'), load(3, 'ready')])).toBeNull();
    expect(readiness.notReady([load(4, 'loading')])).toBe('loading deployment-4');
    expect(readiness.notReady(Array.from({ length: 8 }, (_, n) => load(n, 'loading')))).toMatch(/deployment-4 and 3 more$/);
  });

  it('is not kept away by what failed or leaves', () => {
    readiness.assigned();
    expect(readiness.notReady([load(1, 'failed'), load(2, 'draining')])).toBeNull();
  });

  it('is not kept away for ever by what never loads', () => {
    readiness.assigned();
    expect(readiness.notReady([load(1, 'loading')])).not.toBeNull();
    now += 600_000;
    expect(readiness.notReady([load(1, 'loading')])).toBeNull();
  });
});
