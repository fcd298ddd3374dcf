import { type OrphanUsage, type UsageLatency, type UsageRecord, wholeStream } from '@slipway/contracts';

/** How long single requests are kept, in days; a later record of one would be counted again. */
export const REQUEST_DAYS = 35;
/** How far the clock of a gateway may be ahead, in milliseconds; records of later times are rejected. */
export const CLOCK_SKEW_MS = 3_600_000;

/** In place of a deployment's number, for refused requests to one that the key does not have. */
export const NO_DEPLOYMENT = 0;

/** Token counts of a request. They only increase. */
export interface Figures {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** The state of a request by one record, or by several that were merged. */
export interface Entry extends Figures {
  readonly st: string;
  readonly account: number;
  readonly key: number;
  readonly deployment: number;
  readonly rev: number;
  /** Empty where the request named the deployment itself. */
  readonly alias: string;
  readonly api: string;
  readonly streamed: boolean;
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly ttftMs: number | null;
  readonly ms: number;
  readonly status: string;
  readonly final: boolean;
  readonly source: 'gateway' | 'worker';
  readonly estimated: boolean;
  /** Why its answer ended; empty = unknown, or not yet. */
  readonly finish: string;
}

/** Status of a request that only its worker reported. */
const ORPHANED = 'orphaned';

/** Reads a gateway's record. */
export const entryOf = (record: UsageRecord): Entry => ({
  st: record.st,
  account: record.acct,
  key: record.key,
  deployment: record.dep,
  rev: record.rev,
  alias: record.alias ?? '',
  api: record.api,
  streamed: record.stream,
  started: record.started,
  ttftMs: record.ttft_ms,
  ms: record.ms,
  prompt: record.prompt,
  cached: record.cached,
  completion: record.completion,
  status: record.status,
  final: record.final,
  source: 'gateway',
  estimated: record.estimated ?? false,
  finish: record.finish ?? '',
});

/** True for a complete answer that ended at a token limit. */
export const isCut = ({ final, status, finish }: Entry): boolean => final && status === 'completed' && finish === 'length';

/** The counts of requests, those of their parts added up. A part that two workers counted counts once. */
export function wholeCounts(orphans: readonly OrphanUsage[]): OrphanUsage[] {
  const parts = new Map<string, OrphanUsage>();
  for (const orphan of orphans) {
    const known = parts.get(orphan.st);
    if (!known || known.prompt < orphan.prompt) parts.set(orphan.st, orphan);
  }
  const whole = new Map<string, OrphanUsage>();
  for (const part of parts.values()) {
    const st = wholeStream(part.st);
    const known = whole.get(st);
    whole.set(st, known ? sumOf(known, part) : { ...part, st });
  }
  return [...whole.values()];
}

function sumOf(one: OrphanUsage, other: OrphanUsage): OrphanUsage {
  const started = Math.min(one.started, other.started);
  const ends = [one, other].map((part) => part.started + part.ms);
  return {
    ...one,
    started,
    ms: Math.max(...ends) - started,
    prompt: one.prompt + other.prompt,
    cached: one.cached + other.cached,
    completion: one.completion + other.completion,
    ...((one.estimated ?? other.estimated) && { estimated: true }),
  };
}

/** Reads a worker's record. */
export const entryOfOrphan = (orphan: OrphanUsage): Entry => ({
  ...entryOf({ ...orphan, final: true, stream: true, ttft_ms: null, status: ORPHANED }),
  source: 'worker',
});

function rank({ final, source }: Entry): number {
  if (!final) return 0;
  return source === 'gateway' ? 2 : 1;
}

/**
 * Merges two records of a request, with the same result in whatever order they come: counts only increase, a final record stays
 * final, and a gateway's record takes precedence over a worker's.
 */
export function merge(known: Entry, other: Entry): Entry {
  const [low, high] = rank(other) < rank(known) || (rank(other) === rank(known) && other.ms < known.ms) ? [other, known] : [known, other];
  return {
    ...high,
    alias: high.source === 'worker' ? low.alias : high.alias,
    streamed: high.source === 'worker' ? low.streamed : high.streamed,
    // A request stays in the minute in which it was first counted.
    started: known.started,
    ttftMs: high.ttftMs ?? low.ttftMs,
    finish: high.finish === '' ? low.finish : high.finish,
    ms: Math.max(low.ms, high.ms),
    prompt: Math.max(low.prompt, high.prompt),
    cached: Math.max(low.cached, high.cached),
    completion: Math.max(low.completion, high.completion),
  };
}

/** A figure of how fast a request was answered, or with how many tokens. */
export type LatencyFigure = keyof UsageLatency | 'answer_tokens';

/** Buckets per doubling of a value: the middle of a bucket is within 5 % of all values in it. */
const PER_DOUBLING = 8;
/** Smaller values count as these: a millisecond, a token in 100 s, a token. */
const SMALLEST: Record<LatencyFigure, number> = { ttft_ms: 1, duration_ms: 1, tokens_per_second: 0.01, answer_tokens: 1 };

/** The value in the middle of a bucket, to three digits. */
export const valueOfBucket = (bucket: number): number => Number((2 ** (bucket / PER_DOUBLING)).toPrecision(3));

const bucketOf = (figure: LatencyFigure, value: number): number => Math.round(PER_DOUBLING * Math.log2(Math.max(SMALLEST[figure], value)));

/**
 * The bucket of each figure of a request; none while it runs, and none when it was not completed. Lengths of answers are compared
 * between the deployments of an alias alone.
 */
export function latencyBuckets({
  final,
  status,
  alias,
  ms,
  ttftMs,
  completion,
}: Entry): (readonly [figure: LatencyFigure, bucket: number])[] {
  if (!final || status !== 'completed') return [];
  const buckets: [LatencyFigure, number][] = [['duration_ms', bucketOf('duration_ms', ms)]];
  if (alias !== '' && completion > 0) buckets.push(['answer_tokens', bucketOf('answer_tokens', completion)]);
  if (ttftMs === null) return buckets;
  buckets.push(['ttft_ms', bucketOf('ttft_ms', ttftMs)]);
  if (ms > ttftMs && completion > 1)
    buckets.push(['tokens_per_second', bucketOf('tokens_per_second', ((completion - 1) * 1_000) / (ms - ttftMs))]);
  return buckets;
}
