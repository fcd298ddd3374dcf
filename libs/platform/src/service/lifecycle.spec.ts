import { describe, expect, it } from 'vitest';
import { createLogger } from '../log/logger.js';
import { Lifecycle, type Part } from './lifecycle.js';

const log = createLogger('test', 'silent');

const recorder = (journal: string[], fail: string[] = []) => {
  const act = (name: string, verb: string) => () => {
    journal.push(`${verb} ${name}`);
    if (fail.includes(`${verb} ${name}`)) throw new Error(`${verb} ${name} failed`);
  };
  return (name: string): Part => ({ name, start: act(name, 'start'), stop: act(name, 'stop') });
};

describe('the life cycle of a process', () => {
  it('starts parts in order and stops them in reverse', async () => {
    const journal: string[] = [];
    const lifecycle = new Lifecycle(log, 1_000);
    await lifecycle.start(['a', 'b', 'c'].map(recorder(journal)));
    expect(lifecycle.state).toBe('ready');
    await lifecycle.stop();
    expect(journal).toEqual(['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a']);
    expect(lifecycle.state).toBe('stopped');
  });

  it('stops what had started when a part cannot start', async () => {
    const journal: string[] = [];
    const lifecycle = new Lifecycle(log, 1_000);
    await expect(lifecycle.start(['a', 'b', 'c'].map(recorder(journal, ['start b'])))).rejects.toThrow('start b failed');
    expect(journal).toEqual(['start a', 'start b', 'stop a']);
  });

  it('stops the others when one part fails to stop', async () => {
    const journal: string[] = [];
    const lifecycle = new Lifecycle(log, 1_000);
    await lifecycle.start(['a', 'b'].map(recorder(journal, ['stop b'])));
    await lifecycle.stop();
    expect(journal).toContain('stop a');
  });

  it('stops once, however often it is asked', async () => {
    const journal: string[] = [];
    const lifecycle = new Lifecycle(log, 1_000);
    await lifecycle.start([recorder(journal)('a')]);
    await Promise.all([lifecycle.stop(), lifecycle.stop()]);
    expect(journal).toEqual(['start a', 'stop a']);
  });

  it('gives all parts one common deadline', async () => {
    const left: number[] = [];
    const slow: Part = { name: 'slow', stop: (ms) => new Promise((resolve) => setTimeout(resolve, 30)).then(() => void left.push(ms)) };
    const last: Part = { name: 'last', stop: (ms) => void left.push(ms) };
    const lifecycle = new Lifecycle(log, 1_000);
    await lifecycle.start([last, slow]);
    await lifecycle.stop();
    expect(left).toHaveLength(2);
    expect(left[1]).toBeLessThan(left[0] ?? 0);
  });
});
