import { useSyncExternalStore } from 'react';

/** A console that has not answered for this long is reported, in milliseconds. */
const SILENT_AFTER_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/**
 * Whether the console answers. `live`: it does. `silent`: the oldest request has waited more than 10 s, or the last one
 * failed without an answer.
 */
export interface Freshness {
  readonly state: 'live' | 'silent';
  /** When the last answer came, in milliseconds since 1970; 0 before the first. */
  readonly answeredAt: number;
}

const waiting = new Set<number>();
const listeners = new Set<() => void>();
let failed = false;
let shown: Freshness = { state: 'live', answeredAt: 0 };
let timer: ReturnType<typeof setInterval> | undefined;

function update(now: number, answeredAt = shown.answeredAt): void {
  const isSilent = failed || [...waiting].some((since) => now - since > SILENT_AFTER_MS);
  const state = isSilent ? 'silent' : 'live';
  // A new moment alone is worth no drawing while everything is well.
  const isNews = state !== shown.state;
  shown = { state, answeredAt };
  if (isNews) for (const listener of listeners) listener();
}

/** How a request ended: `dropped` by the page itself, which says nothing about the console. */
export type RequestEnd = 'answered' | 'failed' | 'dropped';

/**
 * Watches one request to the console.
 * @returns what to call at its end; calls after the first do nothing
 */
export function watchRequest(): (end: RequestEnd) => void {
  // Two requests of one millisecond must be two entries.
  let since = Date.now();
  while (waiting.has(since)) since += 0.001;
  waiting.add(since);
  return (end) => {
    if (!waiting.delete(since)) return;
    if (end !== 'dropped') failed = end === 'failed';
    update(Date.now(), end === 'answered' ? Date.now() : shown.answeredAt);
  };
}

/** Calls a listener when the console falls silent and when it answers again. @returns how to stop */
export function subscribeFreshness(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => update(Date.now()), LOOK_EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export const currentFreshness = (): Freshness => shown;

/** Drawn anew when the console falls silent and when it answers again. */
export const useFreshness = (): Freshness => useSyncExternalStore(subscribeFreshness, currentFreshness);
