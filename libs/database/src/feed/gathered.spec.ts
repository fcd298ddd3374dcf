import { describe, expect, it, vi } from 'vitest';
import { Gathered } from './gathered.js';

/** Answers numbers with their doubles, each turn once `release` was called for it. */
function doubler(most = 10) {
  const turns: number[][] = [];
  const releases: (() => void)[] = [];
  const gathered = new Gathered<number, number>(async (take) => {
    await new Promise<void>((resolve) => releases.push(resolve));
    const numbers = take();
    turns.push([...numbers]);
    if (numbers.includes(13)) throw new Error('13 is refused');
    return numbers.map((number) => 2 * number);
  }, most);
  const release = async (): Promise<void> => {
    const turn = await vi.waitUntil(() => releases.shift());
    turn();
  };
  const begun = (): Promise<boolean> => vi.waitUntil(() => releases.length > 0);
  return { gathered, turns, release, begun };
}

describe('gathered questions', () => {
  it('questions of one moment are answered together', async () => {
    const { gathered, turns, release } = doubler();
    const answers = Promise.all([1, 2, 3].map((number) => gathered.ask(number)));
    await release();
    expect(await answers).toEqual([2, 4, 6]);
    expect(turns).toEqual([[1, 2, 3]]);
  });

  it('a question joins those that wait for their turn', async () => {
    const { gathered, turns, release, begun } = doubler();
    const first = gathered.ask(1);
    await begun();
    const second = gathered.ask(2);
    await release();
    expect(await Promise.all([first, second])).toEqual([2, 4]);
    expect(turns).toEqual([[1, 2]]);
  });

  it('no turn answers more questions than allowed', async () => {
    const { gathered, turns, release } = doubler(2);
    const answers = Promise.all([1, 2, 3].map((number) => gathered.ask(number)));
    await release();
    await release();
    expect(await answers).toEqual([2, 4, 6]);
    expect(turns).toEqual([[1, 2], [3]]);
  });

  it('a failed turn fails its questions alone', async () => {
    const { gathered, release } = doubler();
    const refused = Promise.allSettled([gathered.ask(1), gathered.ask(13)]);
    await release();
    expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = gathered.ask(4);
    await release();
    expect(await next).toBe(8);
  });

  it('a turn that cannot begin fails all that wait', async () => {
    const gathered = new Gathered<number, number>(() => Promise.reject(new Error('no connection')), 1);
    const refused = await Promise.allSettled([gathered.ask(1), gathered.ask(2)]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
