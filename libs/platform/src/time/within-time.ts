/**
 * Runs `work` with a signal that aborts after `ms`, or with `outer` and its reason. Timer and listener are removed when the work
 * ends. `AbortSignal.any` with a timeout would be shorter, but garbage collection can remove the timeout before it fires
 * (nodejs/node#57736).
 * @throws `work`'s error, or `outer`'s reason when that has aborted before.
 */
export async function withinTime<T>(outer: AbortSignal, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const follow = (): void => controller.abort(outer.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('It took too long.', 'TimeoutError')), ms);
  outer.addEventListener('abort', follow, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', follow);
  }
}
