import type { Browser, Page } from 'playwright-core';

/** A frame at 60 Hz, in milliseconds. */
export const FRAME_MS = 1_000 / 60;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Time of the processor, in microseconds: what other programs take of it does not count. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Milliseconds of the processor that the page's main thread takes for each task while something happens, the longest first. */
export async function tasksWhile(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<readonly number[]> {
  await browser.startTracing(page, {
    categories: ['toplevel', '__metadata', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && main.some((one) => one.pid === pid && one.tid === tid))
    .map(({ tdur = 0 }) => tdur / 1_000)
    .toSorted((a, b) => b - a);
}

/** Scrolls the list of a screen by 60 pixels a frame, 180 times. @returns the time from frame to frame, in milliseconds */
export const scrollList = (page: Page): Promise<readonly number[]> =>
  page.evaluate<readonly number[]>(`new Promise((done) => {
    const element = document.querySelector('[data-table] .overflow-auto');
    const frames = [];
    let before = performance.now();
    requestAnimationFrame(function scroll(now) {
      frames.push(now - before);
      before = now;
      element.scrollTop += 60;
      if (frames.length < 180) requestAnimationFrame(scroll); else done(frames.slice(1));
    });
  })`);
