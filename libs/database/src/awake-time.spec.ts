import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { AnswerTimeoutError, awakeFor } from './awake-time.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** Blocks the event loop, as in a frozen process. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('awakeFor', () => {
  it('settles with the answer or its failure', async () => {
    expect(await awakeFor(Promise.resolve(7), () => 200)).toBe(7);
    await expect(awakeFor(Promise.reject(new Error('refused')), () => 200)).rejects.toThrow('refused');
  });

  it('rejects when no answer comes in time', async () => {
    await expect(awakeFor(never(), () => 200)).rejects.toThrow(AnswerTimeoutError);
  });

  it('rejects earlier when the limit decreases', async () => {
    let limit = 3_600_000;
    const waiting = awakeFor(never(), () => limit);
    limit = 0;
    await expect(waiting).rejects.toThrow(AnswerTimeoutError);
  });

  it('does not count time of a suspended process', async () => {
    const answer = readFile(new URL(import.meta.url), 'utf8');
    const waiting = awakeFor(answer, () => 700);
    standStill(1_500);
    expect(await waiting).toContain('stood still');
  });
});
