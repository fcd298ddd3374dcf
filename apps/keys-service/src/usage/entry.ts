import type { OrphanUsage, UsageRecord } from '@slipway/contracts';

/** Single requests are kept this long, in days; who tells of one after that is counted again. */
export const REQUEST_DAYS = 35;
/** How far the clock of a gateway may be ahead, in milliseconds; usage of a day to come is no usage. */
export const CLOCKS_DIFFER_MS = 3_600_000;

/** Counts of one request. They only rise. */
export interface Figures {
  readonly prompt: number;
  readonly cached: number;
  readonly completion: number;
}

/** What one record says of its request. */
export interface Entry extends Figures {
  readonly st: string;
  readonly account: number;
  readonly key: number;
  readonly deployment: number;
  readonly rev: number;
  /** Empty where the slug was called. */
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
}

/** Status of a request of which only its worker could tell. */
const ORPHANED = 'orphaned';

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
});

export const entryOfOrphan = (orphan: OrphanUsage): Entry => ({
  ...entryOf({ ...orphan, final: true, stream: true, ttft_ms: null, status: ORPHANED }),
  source: 'worker',
});

function rank({ final, source }: Entry): number {
  if (!final) return 0;
  return source === 'gateway' ? 2 : 1;
}

/**
 * Joins what is known of a request with another record of it, in whatever order they came: the figures rise, a final record
 * stays final, and the gateway's word counts for more than the worker's.
 */
export function join(known: Entry, other: Entry): Entry {
  const [low, high] = rank(other) < rank(known) || (rank(other) === rank(known) && other.ms < known.ms) ? [other, known] : [known, other];
  return {
    ...high,
    alias: high.source === 'worker' ? low.alias : high.alias,
    streamed: high.source === 'worker' ? low.streamed : high.streamed,
    // The minute that a request was counted in stays its minute.
    started: known.started,
    ttftMs: high.ttftMs ?? low.ttftMs,
    ms: Math.max(low.ms, high.ms),
    prompt: Math.max(low.prompt, high.prompt),
    cached: Math.max(low.cached, high.cached),
    completion: Math.max(low.completion, high.completion),
  };
}
