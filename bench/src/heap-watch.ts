import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const EACH_MS = 500;
/** Part of the metrics that a process holds on its heap, and beside it for buffers. */
const HELD = /^nodejs_(?:heap_size_used|external_memory)_bytes(?:\{[^}]*\})? (\S+)/gm;

/** Address of a process's metrics, read from its log: the launcher lets each process find a free port. */
async function metricsUrl(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).split('\n').filter((line) => line.includes('"ops.listening"'));
  const { port } = JSON.parse(lines.at(-1) ?? '{}') as { port?: number };
  if (port === undefined) throw new Error(`${logFile} names no port of metrics.`);
  return `http://127.0.0.1:${port}/metrics`;
}

/**
 * The least that a process holds in memory during some time, in bytes: what is left when its garbage was collected,
 * which an idle process does after some seconds.
 */
export async function lowestHeap(logFile: string, forMs: number): Promise<number> {
  const url = await metricsUrl(logFile);
  const end = performance.now() + forMs;
  let lowest = Number.POSITIVE_INFINITY;
  while (performance.now() < end) {
    const text = await (await fetch(url)).text();
    const held = [...text.matchAll(HELD)].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    lowest = Math.min(lowest, held);
    await delay(EACH_MS);
  }
  return lowest;
}
