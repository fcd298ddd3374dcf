/** What a wait may be longer for being polled less often, and the pauses that this allows, in milliseconds. */
const LATE_BY = 0.15;
const PAUSE_MS_MAX = 150;

/**
 * Polls until `probe` gives something: every few milliseconds at first, then less often, so that a long wait costs little.
 * The deadline only bounds a failure.
 * @param everyMs the first pause
 */
export async function until<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  deadlineMs = 30_000,
  everyMs = 10,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    const waitedMs = performance.now() - begun;
    if (waitedMs > deadlineMs) throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    const pauseMs = Math.min(Math.max(everyMs, waitedMs * LATE_BY), PAUSE_MS_MAX);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
