import type { AgentHeartbeat, ModelSource } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { SettingBounds, type SettingBoundsOptions } from './setting-bounds.js';

const OPTIONS: SettingBoundsOptions = { threads: null, slots: 32, context: 4_096, replicas: 5 };
const source: ModelSource = { kind: 'file', path: 'm.gguf' };
const modest = { source, threads: null, slots: 1, context: null };

const boundsWith = (cpus: readonly number[], options = OPTIONS): SettingBounds =>
  new SettingBounds(options, { live: () => cpus.map((cpu) => ({ cpu }) as AgentHeartbeat) });

describe('the bounds of settings', () => {
  it.each([
    ['threads', { threads: 5 }, 'threads is at most 4, the processors of the largest worker.'],
    ['slots', { slots: 33 }, 'slots is at most 32 here.'],
    ['context', { context: 4_097 }, 'context is at most 4096 tokens here.'],
  ])('refuse more %s and name the most', (param, wish, message) => {
    const refusal = expect.objectContaining({ code: 'invalid_request', param, message }) as Error;
    expect(() => boundsWith([2, 4]).check({ ...modest, ...wish })).toThrow(refusal);
  });

  it('let what is at the bound pass, and any number of threads while no worker is heard', () => {
    expect(() => boundsWith([4]).check({ source, threads: 4, slots: 32, context: 4_096 })).not.toThrow();
    expect(() => boundsWith([]).check({ ...modest, threads: 64 })).not.toThrow();
  });

  it('leave what stays as it was, though the bounds are narrower by now', () => {
    const before = { source, threads: 64, slots: 100, context: 1_000_000 };
    expect(() => boundsWith([4]).check({ ...before, slots: 32 }, before)).not.toThrow();
    expect(() => boundsWith([4]).check({ ...before, slots: 101 }, before)).toThrow(/slots/);
  });

  it('bound threads by what the operator said before what workers have', () => {
    expect(() => boundsWith([64], { ...OPTIONS, threads: 8 }).check({ ...modest, threads: 9 })).toThrow('threads is at most 8 here.');
  });
});
