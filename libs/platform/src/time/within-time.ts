/**
 * Runs `work` with a signal that aborts after `ms`, and together with `outer`, for its reason. Both are forgotten once the
 * work is over. A timeout inside of `AbortSignal.any` would do the same in fewer words, but a garbage collection takes it
 * away before it fires (nodejs/node#57736).
 * @throws what `work` throws; `outer`'s reason when that has aborted before.
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
