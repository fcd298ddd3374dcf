import type { Holder } from './holder.js';

/** A duration as Go writes it, which is how clients read it: `12ms`, `1s`, `6m0s`. */
export function goDuration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < 1_000) return `${whole}ms`;
  const seconds = Math.ceil(whole / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

type Measure = 'requests' | 'tokens';

const remaining = (holder: Holder, measure: Measure, now: number): number =>
  Math.max(0, Math.floor(holder[measure].limit - holder[measure].taken(now)));

/** What a response tells of the minute limits that hold for it; of several holders, the one with the least left counts. */
export function limitHeaders(holders: readonly Holder[], now: number): [name: string, value: string][] {
  const headers: [string, string][] = [];
  for (const measure of ['requests', 'tokens'] as const) {
    let least: Holder | undefined;
    for (const holder of holders) {
      if (!Number.isFinite(holder[measure].limit)) continue;
      if (!least || remaining(holder, measure, now) < remaining(least, measure, now)) least = holder;
    }
    if (!least) continue;
    headers.push(
      [`x-ratelimit-limit-${measure}`, String(least[measure].limit)],
      [`x-ratelimit-remaining-${measure}`, String(remaining(least, measure, now))],
      [`x-ratelimit-reset-${measure}`, goDuration(least[measure].emptyIn(now))],
    );
  }
  return headers;
}
