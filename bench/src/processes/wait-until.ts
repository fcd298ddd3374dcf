import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks every 50 ms until the answer is something.
 * @throws when it is nothing for too long
 */
export async function waitUntil<T>(what: string, withinMs: number, check: () => T | null | Promise<T | null>): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const result = await check();
    if (result !== null) return result;
    if (performance.now() > end) throw new Error(`${what}: not within ${withinMs / 1_000} s.`);
    await delay(50);
  }
}
