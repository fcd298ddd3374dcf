import type { RefusedUsage } from '@slipway/contracts';
import { type Entry, type Figures, isCut, latencyBuckets, type LatencyFigure, NO_DEPLOYMENT } from './entry.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A request before and after a batch; `before` is null for one that is new. */
export interface Change {
  readonly before: Entry | null;
  readonly after: Entry;
}

/** The key of a row of a minute's sums. */
interface MinuteKey {
  readonly account: number;
  readonly key: number;
  readonly deployment: number;
  readonly alias: string;
  readonly api: string;
  /** Milliseconds since the epoch. */
  readonly minute: number;
}

/** The change of a row of a minute's sums. */
export interface MinuteChange extends MinuteKey, Figures {
  readonly status: string;
  readonly requests: number;
  /** Answers that ended at a token limit. */
  readonly cut: number;
}

/** The change of the number of requests in a latency bucket of a minute. */
export interface LatencyChange extends MinuteKey {
  readonly figure: LatencyFigure;
  readonly bucket: number;
  readonly requests: number;
}

/** The change of a key's sums of a day. */
export interface DayChange {
  readonly account: number;
  readonly key: number;
  /** Milliseconds since the epoch. */
  readonly day: number;
  readonly requests: number;
  readonly tokens: number;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type Sums<T> = Map<string, Mutable<T>>;

/** The sum of this name, which begins as `first` says. A batch has thousands of requests and few sums. */
function sumOf<T>(sums: Sums<T>, name: string, first: () => Mutable<T>): Mutable<T> {
  const known = sums.get(name);
  if (known) return known;
  const sum = first();
  sums.set(name, sum);
  return sum;
}

const minuteKeyOf = ({
  account,
  key,
  deployment,
  alias,
  api,
  started,
}: Omit<MinuteKey, 'minute'> & { readonly started: number }): MinuteKey => ({
  minute: started - (started % MINUTE_MS),
  ...{ account, key, deployment, alias, api },
});

/** Differs where the keys do: aliases and contracts have no slash. */
const nameOf = ({ account, minute, key, deployment, alias, api }: MinuteKey): string =>
  `${account}/${minute}/${key}/${deployment}/${alias}/${api}`;

const hasMinuteChange = ({ requests, prompt, cached, completion, cut }: MinuteChange): boolean =>
  requests !== 0 || cut !== 0 || prompt !== 0 || cached !== 0 || completion !== 0;

const NO_MINUTE = { requests: 0, prompt: 0, cached: 0, completion: 0, cut: 0 } as const;

/** Subtracts the requests as they were before and adds them as they are now. @returns one row for each sum that changes */
export function minuteChanges(changes: readonly Change[]): MinuteChange[] {
  const sums: Sums<MinuteChange> = new Map();
  const add = (entry: Entry, sign: 1 | -1): void => {
    const { status } = entry;
    const key = minuteKeyOf(entry);
    const sum = sumOf(sums, `${nameOf(key)}/${status}`, () => ({ status, ...key, ...NO_MINUTE }));
    sum.requests += sign;
    sum.prompt += sign * entry.prompt;
    sum.cached += sign * entry.cached;
    sum.completion += sign * entry.completion;
    if (isCut(entry)) sum.cut += sign;
  };
  for (const { before, after } of changes) {
    if (before) add(before, -1);
    add(after, 1);
  }
  return [...sums.values()].filter(hasMinuteChange);
}

/** Refused requests are counted by minute only, with no tokens. */
export function refusalChanges(counts: readonly RefusedUsage[]): MinuteChange[] {
  const sums: Sums<MinuteChange> = new Map();
  for (const { acct: account, key, dep: deployment = NO_DEPLOYMENT, alias = '', api, started, status, requests } of counts) {
    const row = minuteKeyOf({ account, key, deployment, alias, api, started });
    sumOf(sums, `${nameOf(row)}/${status}`, () => ({ status, ...row, ...NO_MINUTE })).requests += requests;
  }
  return [...sums.values()];
}

/** As `minuteChanges`, for the requests in each latency bucket. */
export function latencyChanges(changes: readonly Change[]): LatencyChange[] {
  const sums: Sums<LatencyChange> = new Map();
  const add = (entry: Entry, requests: 1 | -1): void => {
    const buckets = latencyBuckets(entry);
    if (buckets.length === 0) return;
    const key = minuteKeyOf(entry);
    const name = nameOf(key);
    for (const [figure, bucket] of buckets) {
      sumOf(sums, `${name}/${figure}/${bucket}`, () => ({ figure, bucket, requests: 0, ...key })).requests += requests;
    }
  };
  for (const { before, after } of changes) {
    if (before) add(before, -1);
    add(after, 1);
  }
  return [...sums.values()].filter(({ requests }) => requests !== 0);
}

/** Tokens that count towards budgets. */
const tokensOf = ({ prompt, completion }: Figures): number => prompt + completion;

/** As `minuteChanges`, for the sums that budgets use. */
export function dayChanges(changes: readonly Change[]): DayChange[] {
  const sums: Sums<DayChange> = new Map();
  for (const { before, after } of changes) {
    const { account, key, started } = after;
    const day = started - (started % DAY_MS);
    const sum = sumOf(sums, `${account}/${key}/${day}`, () => ({ account, key, day, requests: 0, tokens: 0 }));
    if (!before) sum.requests += 1;
    sum.tokens += tokensOf(after) - (before ? tokensOf(before) : 0);
  }
  return [...sums.values()].filter(({ requests, tokens }) => requests !== 0 || tokens !== 0);
}
