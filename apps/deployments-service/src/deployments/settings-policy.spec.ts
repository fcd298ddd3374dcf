import type { AgentHeartbeat } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { SettingsPolicy, type SettingsPolicyOptions } from './settings-policy.js';

const MAX: SettingsPolicyOptions['max'] = { threads: null, slots: 32, context: 4_096, replicas: 5 };
const modest = { threads: null, slots: 1, context: null };

const policyWith = (cpus: readonly number[], max = MAX): SettingsPolicy =>
  new SettingsPolicy({ defaultSlots: 4, max }, { live: () => cpus.map((cpu) => ({ cpu }) as AgentHeartbeat) });

describe('the operator’s bounds', () => {
  it.each([
    ['threads', { threads: 5 }, 'threads is at most 4, the processors of the largest worker.'],
    ['slots', { slots: 33 }, 'slots is at most 32 here.'],
    ['context', { context: 4_097 }, 'context is at most 4096 tokens here.'],
  ])('refuse %s above the bound and name it', (param, change, message) => {
    const refusal = expect.objectContaining({ code: 'invalid_request', param, message }) as Error;
    expect(() => policyWith([2, 4]).check({ ...modest, ...change })).toThrow(refusal);
  });

  it('allow values at the bound', () => {
    expect(() => policyWith([4]).check({ threads: 4, slots: 32, context: 4_096 })).not.toThrow();
    expect(() => policyWith([]).check({ ...modest, threads: 64 })).not.toThrow();
  });

  it('allow unchanged values above a lowered bound', () => {
    const before = { threads: 64, slots: 100, context: 1_000_000 };
    expect(() => policyWith([4]).check({ ...before, slots: 32 }, before)).not.toThrow();
    expect(() => policyWith([4]).check({ ...before, slots: 101 }, before)).toThrow(/slots/);
  });

  it('bound threads by the operator’s setting first', () => {
    expect(() => policyWith([64], { ...MAX, threads: 8 }).check({ ...modest, threads: 9 })).toThrow('threads is at most 8 here.');
  });
});
