import type { Entry, Figures } from './entry.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A request before and after a batch; `before` is null for one that is new. */
export interface Change {
  readonly before: Entry | null;
  readonly after: Entry;
}

/** What a minute's sums change by. */
export interface MinuteChange extends Figures {
  readonly account: number;
  readonly key: number;
  readonly deployment: number;
  readonly alias: string;
  readonly api: string;
  readonly status: string;
  /** Milliseconds since the epoch. */
  readonly minute: number;
  readonly requests: number;
}

/** What a day's sums of one key change by. */
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

const minuteOf = (
  { account, key, deployment, alias, api, status, started, prompt, cached, completion }: Entry,
  sign: 1 | -1,
): MinuteChange => ({
  account,
  key,
  deployment,
  alias,
  api,
  status,
  minute: started - (started % MINUTE_MS),
  requests: sign,
  prompt: sign * prompt,
  cached: sign * cached,
  completion: sign * completion,
});

const minuteName = ({ account, minute, key, deployment, alias, api, status }: MinuteChange): string =>
  JSON.stringify([account, minute, key, deployment, alias, api, status]);

const hasMinuteChange = ({ requests, prompt, cached, completion }: MinuteChange): boolean =>
  requests !== 0 || prompt !== 0 || cached !== 0 || completion !== 0;

/** What requests were counted for is taken back, and what they are now is counted: one row for each sum that changes. */
export function minuteChanges(changes: readonly Change[]): MinuteChange[] {
  const sums = new Map<string, MinuteChange>();
  const add = (part: MinuteChange): void =>
    addTo(sums, minuteName(part), part, (sum) => ({
      ...sum,
      requests: sum.requests + part.requests,
      prompt: sum.prompt + part.prompt,
      cached: sum.cached + part.cached,
      completion: sum.completion + part.completion,
    }));
  for (const { before, after } of changes) {
    if (before) add(minuteOf(before, -1));
    add(minuteOf(after, 1));
  }
  return [...sums.values()].filter(hasMinuteChange);
}

/** Tokens that count against budgets. */
const tokensOf = ({ prompt, completion }: Figures): number => prompt + completion;

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
