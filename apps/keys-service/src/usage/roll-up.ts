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

const addTo = <T extends object>(sums: Map<string, T>, name: string, part: T, add: (sum: T) => T): void => {
  const sum = sums.get(name);
  sums.set(name, sum ? add(sum) : part);
};

const minuteKeyOf = ({ account, key, deployment, alias, api, started }: Entry): MinuteKey => ({
  account,
  key,
  deployment,
  alias,
  api,
  minute: started - (started % MINUTE_MS),
});

const nameOf = ({ account, minute, key, deployment, alias, api }: MinuteKey, ...rest: readonly (string | number)[]): string =>
  JSON.stringify([account, minute, key, deployment, alias, api, ...rest]);

const minuteOf = (entry: Entry, sign: 1 | -1): MinuteChange => ({
  ...minuteKeyOf(entry),
  status: entry.status,
  requests: sign,
  prompt: sign * entry.prompt,
  cached: sign * entry.cached,
  completion: sign * entry.completion,
  cut: isCut(entry) ? sign : 0,
});

const hasMinuteChange = ({ requests, prompt, cached, completion, cut }: MinuteChange): boolean =>
  requests !== 0 || cut !== 0 || prompt !== 0 || cached !== 0 || completion !== 0;

/** Subtracts the requests as they were before and adds them as they are now. @returns one row for each sum that changes */
export function minuteChanges(changes: readonly Change[]): MinuteChange[] {
  const sums = new Map<string, MinuteChange>();
  const add = (part: MinuteChange): void =>
    addTo(sums, nameOf(part, part.status), part, (sum) => ({
      ...sum,
      requests: sum.requests + part.requests,
      prompt: sum.prompt + part.prompt,
      cached: sum.cached + part.cached,
      completion: sum.completion + part.completion,
      cut: sum.cut + part.cut,
    }));
  for (const { before, after } of changes) {
    if (before) add(minuteOf(before, -1));
    add(minuteOf(after, 1));
  }
  return [...sums.values()].filter(hasMinuteChange);
}

/** Refused requests are counted by minute only, with no tokens. */
export function refusalChanges(counts: readonly RefusedUsage[]): MinuteChange[] {
  const sums = new Map<string, MinuteChange>();
  for (const { acct: account, key, dep: deployment = NO_DEPLOYMENT, alias = '', api, started, status, requests } of counts) {
    const row = { account, key, deployment, alias, api, minute: started - (started % MINUTE_MS) };
    addTo(sums, nameOf(row, status), { ...row, status, requests, prompt: 0, cached: 0, completion: 0, cut: 0 }, (sum) => ({
      ...sum,
      requests: sum.requests + requests,
    }));
  }
  return [...sums.values()];
}

/** As `minuteChanges`, for the requests in each latency bucket. */
export function latencyChanges(changes: readonly Change[]): LatencyChange[] {
  const sums = new Map<string, LatencyChange>();
  const add = (entry: Entry, requests: 1 | -1): void => {
    for (const [figure, bucket] of latencyBuckets(entry)) {
      const part = { ...minuteKeyOf(entry), figure, bucket, requests };
      addTo(sums, nameOf(part, figure, bucket), part, (sum) => ({ ...sum, requests: sum.requests + requests }));
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
  const sums = new Map<string, DayChange>();
  for (const { before, after } of changes) {
    const { account, key, started } = after;
    const part = {
      account,
      key,
      day: started - (started % DAY_MS),
      requests: before ? 0 : 1,
      tokens: tokensOf(after) - (before ? tokensOf(before) : 0),
    };
    addTo(sums, JSON.stringify([account, key, part.day]), part, (sum) => ({
      ...sum,
      requests: sum.requests + part.requests,
      tokens: sum.tokens + part.tokens,
    }));
  }
  return [...sums.values()].filter(({ requests, tokens }) => requests !== 0 || tokens !== 0);
}
