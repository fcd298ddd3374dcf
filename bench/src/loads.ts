import { setTimeout as delay } from 'node:timers/promises';
import { lowestHeap } from './heap-watch.js';
import type { Measurement, Measurements, Way } from './measurement.js';
import type { Series, SeriesResult } from './messages.js';
import { cpuOf, residentBytes } from './process-figures.js';
import { LATE_MS } from './token-ledger.js';

/** How much of everything is done. */
export interface Sizes {
  readonly requests: number;
  readonly trials: number;
  readonly rungs: readonly number[];
  readonly rungMs: number;
  readonly bodies: readonly { readonly kilobytes: number; readonly requests: number }[];
  readonly idleStreams: number;
  readonly refusals: number;
  readonly restMs: number;
  /** Time in which a process that rests collects its garbage. */
  readonly settleMs: number;
}

/**
 * Requests that `npm start` serves at once at an HTTP engine by default. No load has more streams: a second lot
 * would wait for the first, or be refused, and what is measured is what users get.
 */
const SLOTS = 256;

export const FULL: Sizes = {
  requests: 8_000,
  trials: 2,
  rungs: [1, 2, 4, 8, 16, 32, 64, 128, SLOTS],
  rungMs: 12_000,
  bodies: [
    { kilobytes: 10, requests: 2_000 },
    { kilobytes: 50, requests: 1_000 },
    { kilobytes: 400, requests: 300 },
  ],
  idleStreams: SLOTS,
  refusals: 8_000,
  restMs: 5_000,
  settleMs: 15_000,
};

/** A minute and a half in all. */
export const QUICK: Sizes = {
  requests: 1_000,
  trials: 1,
  rungs: [1, 16, 64, SLOTS],
  rungMs: 2_500,
  bodies: [
    { kilobytes: 10, requests: 150 },
    { kilobytes: 50, requests: 100 },
    { kilobytes: 400, requests: 40 },
  ],
  idleStreams: SLOTS,
  refusals: 1_000,
  restMs: 2_000,
  settleMs: 5_000,
};

/** Bytes that processes hold. */
interface MemoryFigures {
  readonly heap: number;
  readonly worker: number;
  readonly resident: number;
}

/** Memory per idle stream, in bytes. */
export interface IdleFigures {
  readonly streams: number;
  readonly failed: number;
  /** On the gateway's heap, and in buffers beside it. */
  readonly gateway: number;
  /** Growth of the gateway's resident memory: less than the above where the heap had room, more where it holds garbage. */
  readonly gatewayResident: number;
  readonly worker: number;
}

/** What the loads came to, beside the measurements. */
export interface Findings {
  /** Processor time per second without any request, in seconds. */
  rest?: Record<string, number>;
  idle?: IdleFigures;
  /** Most streams of 64 tokens, 20 ms apart, of which nothing was late at p99; 0 = none. */
  highestRung?: number;
}

export interface LoadContext {
  readonly measurements: Measurements;
  readonly sizes: Sizes;
  readonly findings: Findings;
  /** Log files. */
  readonly logs: Readonly<Record<'gateway' | 'worker', string>>;
  /** Makes a key and revokes it. */
  readonly revokedKey: () => Promise<string>;
}

const WAYS: readonly Way[] = ['direct', 'nginx', 'bare', 'slipway'];
const PACED = { tokens: 64, gapMs: 20 };
/** A system counts as full when answers take this many times as long as their pace. */
const SATURATED = 1.5;
const AT_ONCE = { tokens: 16, gapMs: 0 };
const CONCURRENCY = 10;
/** Requests per second that every way carries easily. */
const SAME_RATE = 150;
/** Time in which all idle streams have begun, in milliseconds. */
const IDLE_START_MS = 4_000;
const OK = [200];

const closed = (concurrency: number, requests: number): Series['arrival'] => ({ kind: 'closed', concurrency, requests });
const instant = (stream: boolean, arrival: Series['arrival'], bodyBytes: number | null = null): Omit<Series, 'target'> => ({
  arrival,
  stream,
  script: AT_ONCE,
  bodyBytes,
  wantedStatus: OK,
});

/** What a process takes while it gets no requests. */
async function rest({ measurements, sizes, findings }: LoadContext): Promise<void> {
  const { groups } = measurements.surroundings.routes.slipway;
  const before = cpuOf(groups);
  await delay(sizes.restMs);
  const after = cpuOf(groups);
  findings.rest = Object.fromEntries(
    Object.entries(after).map(([name, seconds]) => [name, (seconds - (before[name] ?? 0)) / (sizes.restMs / 1_000)]),
  );
}

/** Streams that have had their first token and wait for the second. */
async function idle({ measurements, sizes, findings, logs }: LoadContext): Promise<void> {
  const { clients, routes, progress } = measurements.surroundings;
  const { target, groups } = routes.slipway;
  const [gateway = 0] = groups['gateway'] ?? [];
  const memory = async (): Promise<MemoryFigures> => {
    const [heap, worker] = await Promise.all([lowestHeap(logs.gateway, sizes.settleMs), lowestHeap(logs.worker, sizes.settleMs)]);
    return { heap, worker, resident: residentBytes(gateway) };
  };
  const streams = sizes.idleStreams;
  const before = await memory();
  const script = { tokens: 2, gapMs: 2 * sizes.settleMs + IDLE_START_MS };
  const series: Series = { target, arrival: closed(streams, streams), stream: true, script, bodyBytes: null, wantedStatus: OK };
  const running = clients.ask<SeriesResult>({ series });
  await delay(IDLE_START_MS);
  const after = await memory();
  const { failed } = await running;
  const each = (figure: keyof MemoryFigures): number => Math.round((after[figure] - before[figure]) / streams);
  findings.idle = { streams, failed, gateway: each('heap'), gatewayResident: each('resident'), worker: each('worker') };
  progress(`idle: ${streams} streams, ${(findings.idle.gateway / 1024).toFixed(1)} KiB each in the gateway`);
}

/** Ten clients, each asking again as soon as it is answered. */
const short =
  (stream: boolean) =>
  async ({ measurements, sizes }: LoadContext): Promise<void> => {
    for (let trial = 0; trial < sizes.trials; trial += 1) {
      for (const way of WAYS)
        await measurements.take(stream ? 'short-stream' : 'short', way, instant(stream, closed(CONCURRENCY, sizes.requests)));
    }
  };

/**
 * The same request at one rate for all ways. A process that is asked more often sleeps less, and waking up is most of what a
 * small request costs; so costs compare at the same rate.
 */
async function sameRate({ measurements, sizes }: LoadContext): Promise<void> {
  for (let trial = 0; trial < sizes.trials; trial += 1) {
    for (const way of WAYS) {
      const arrival: Series['arrival'] = { kind: 'open', perSecond: SAME_RATE, requests: sizes.requests / 4 };
      await measurements.take(`short at ${SAME_RATE}/s`, way, instant(false, arrival));
    }
  }
}

/** Half of what the way carries at most, at a constant rate: what each request waits for is what the way adds. */
async function firstToken({ measurements, sizes }: LoadContext): Promise<void> {
  const most = await measurements.take('capacity', 'slipway', instant(true, closed(CONCURRENCY, Math.ceil(sizes.requests / 4))));
  const perSecond = Math.max(10, Math.floor(most.result.completed / most.result.seconds / 2));
  for (let trial = 0; trial < sizes.trials; trial += 1) {
    for (const way of WAYS) {
      await measurements.take(
        `first-token at ${perSecond}/s`,
        way,
        instant(true, { kind: 'open', perSecond, requests: sizes.requests / 2 }),
      );
    }
  }
}

/** Everything arrived, and in time but for one in a hundred. */
const holds = ({ result }: Measurement): boolean =>
  result.failed === 0 &&
  result.counts.lost + result.counts.doubled + result.counts.misplaced + result.counts.garbled === 0 &&
  result.lateness.p99 <= LATE_MS;

/** 64 tokens, 20 ms apart, for more and more clients at once. */
async function paced({ measurements, sizes, findings }: LoadContext): Promise<void> {
  findings.highestRung = 0;
  for (const streams of sizes.rungs) {
    const arrival: Series['arrival'] = { kind: 'closed', concurrency: streams, requests: 1_000_000, withinMs: sizes.rungMs };
    const series = { arrival, stream: true, script: PACED, bodyBytes: null, wantedStatus: OK };
    await measurements.take(`paced ${streams}`, 'nginx', series);
    await measurements.take(`paced ${streams}`, 'bare', series);
    const measurement = await measurements.take(`paced ${streams}`, 'slipway', series);
    if (holds(measurement)) findings.highestRung = streams;
    // Beyond what the cores carry, only queues are measured.
    if (measurement.result.total.p50 > SATURATED * PACED.tokens * PACED.gapMs) return;
  }
}

async function bodies({ measurements, sizes }: LoadContext): Promise<void> {
  for (const { kilobytes, requests } of sizes.bodies) {
    for (const way of WAYS) await measurements.take(`body ${kilobytes} KB`, way, instant(true, closed(4, requests), kilobytes * 1_000));
  }
}

/** A key that was revoked: of the right form, and refused. */
async function refused({ measurements, sizes, revokedKey }: LoadContext): Promise<void> {
  const key = await revokedKey();
  const series = (requests: number): Omit<Series, 'target'> => ({
    ...instant(false, closed(CONCURRENCY, requests)),
    wantedStatus: [401, 429],
  });
  // Nothing before compiled this path, as the loads' own warm-up and each other do for theirs.
  await measurements.take('warm-up', 'slipway', series(sizes.refusals), key);
  await measurements.take('refused key', 'slipway', series(sizes.refusals), key);
}

/** The loads by name, in the order in which they are run: memory first, while nothing has made the heaps grow. */
export const LOADS: Readonly<Record<string, (context: LoadContext) => Promise<void>>> = {
  rest,
  idle,
  short: short(false),
  'short-stream': short(true),
  'same-rate': sameRate,
  'first-token': firstToken,
  paced,
  bodies,
  refused,
};

/** Lets everything compile its hot paths before anything is measured. */
export async function warmUp({ measurements, sizes }: LoadContext): Promise<void> {
  for (const stream of [false, true]) {
    for (const way of WAYS) await measurements.take('warm-up', way, instant(stream, closed(CONCURRENCY, sizes.requests / 2)));
  }
}
