import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { AnswerTimeoutError, awakeFor } from './awake-time.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** As a process stands still that is frozen or gets no CPU time. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a wait that counts running time', () => {
  it('ends with the answer, or with its failure', async () => {
    expect(await awakeFor(Promise.resolve(7), () => 200)).toBe(7);
    await expect(awakeFor(Promise.reject(new Error('refused')), () => 200)).rejects.toThrow('refused');
  });

  it('ends when nothing comes in time', async () => {
    await expect(awakeFor(never(), () => 200)).rejects.toThrow(AnswerTimeoutError);
  });

  it('ends earlier when the limit falls meanwhile', async () => {
    let limit = 3_600_000;
    const waiting = awakeFor(never(), () => limit);
    limit = 0;
    await expect(waiting).rejects.toThrow(AnswerTimeoutError);
  });

  it('does not end by time in which the process stood still, and reads first what came in it', async () => {
    const answer = readFile(new URL(import.meta.url), 'utf8');
    const waiting = awakeFor(answer, () => 300);
    standStill(1_000);
    expect(await waiting).toContain('stood still');
  });
});
