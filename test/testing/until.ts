/** Polls until `probe` gives something, every few milliseconds; the deadline only bounds a failure. */
export async function until<T>(
  what: string,
  probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  deadlineMs = 30_000,
  everyMs = 10,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
