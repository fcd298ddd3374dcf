import { setTimeout as delay } from 'node:timers/promises';
import type { IdleFigure } from '../figures/run-file.js';
import { deadlineMs, type Requests, type SeriesResult } from '../messages.js';
import { holdings } from '../processes/process-table.js';
import type { Way } from '../ways/way.js';
import type { Surroundings } from './rounds.js';

/** As many as an HTTP engine has slots by default, nearly: a stream that waits for a slot holds less. */
const STREAMS = 250;
/** Time in which a process that rests collects its garbage, in milliseconds. */
const SETTLE_MS = 8_000;
/** Time in which all streams have begun; those of a paced load begin within a second. */
const BEGIN_MS = 2_500;
const LOOK_MS = 500;

const idleStreams = (streams: number, gapMs: number): Requests => ({
  arrival: { kind: 'closed', concurrency: streams, requests: streams, withinMs: BEGIN_MS },
  stream: true,
  script: { tokens: 2, gapMs },
  bodyBytes: null,
  wantedStatus: [200],
});

/** The least that each process holds during some time: what is left when its garbage is collected. */
async function leastHeld(way: Way, forMs: number): Promise<Record<string, number>> {
  const least: Record<string, number> = {};
  for (const end = performance.now() + forMs; performance.now() < end; await delay(LOOK_MS)) {
    for (const [process, { bytes }] of Object.entries(holdings(way.processes()))) least[process] = Math.min(least[process] ?? bytes, bytes);
  }
  return least;
}

/** One growth of each process, in bytes for a stream, and how many streams failed. */
interface Growth {
  readonly failed: number;
  readonly bytes: Readonly<Record<string, number>>;
}

const sumOf = ({ bytes }: Growth): number => Object.values(bytes).reduce((sum, one) => sum + one, 0);

/**
 * Growth of memory by streams that are silent after their first token. As many were opened and closed before: what is measured
 * is what streams hold, and not the room that heaps take once for the first of them. The median of three, by all processes.
 */
export async function measureIdle({ clients, progress }: Surroundings, way: Way, share = 1): Promise<IdleFigure> {
  const settleMs = SETTLE_MS * share;
  const open = async (requests: Requests): Promise<SeriesResult | undefined> => {
    const series = [{ ...requests, target: way.target }];
    const { results } = await clients.ask<{ results: readonly SeriesResult[] }>({ series }, deadlineMs(requests) + SETTLE_MS);
    return results[0];
  };
  const grow = async (): Promise<Growth> => {
    const before = await leastHeld(way, settleMs);
    const running = open(idleStreams(STREAMS, BEGIN_MS + 2 * settleMs));
    await delay(BEGIN_MS + settleMs / 2);
    const after = await leastHeld(way, settleMs);
    const failed = (await running)?.failed ?? STREAMS;
    await delay(settleMs);
    const bytes = Object.entries(after).map(([process, held]) => [process, (held - (before[process] ?? held)) / STREAMS] as const);
    return { failed, bytes: Object.fromEntries(bytes) };
  };
  await open(idleStreams(STREAMS, BEGIN_MS));
  await delay(settleMs);
  const growths = [await grow(), await grow(), await grow()];
  const failed = growths.reduce((sum, one) => sum + one.failed, 0);
  const [, middle] = growths.toSorted((a, b) => sumOf(a) - sumOf(b));
  progress(`idle, ${way.name}: ${STREAMS} streams three times, ${failed} failed`);
  return { way: way.name, streams: STREAMS, failed, bytes: middle?.bytes ?? {} };
}
