import { Injectable } from '@nestjs/common';
import {
  type FindRequest,
  type QueryBudgets,
  type QueryUsage,
  StreamId,
  ServiceError,
  USAGE_ROWS_MAX,
  type UsageGroup,
  type UsageLatency,
} from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { NO_DEPLOYMENT, valueOfBucket } from './entry.js';
import { type GroupRow, type LatencyRow, type SumRow, UsageQueriesRepository } from './queries.repository.js';

type Question = z.output<typeof QueryUsage.request>;
const DAY_MS = 86_400_000;
/** Bytes of the rows of one reply: a message of 1 MiB without its other fields. */
const ROWS_BYTES_MAX = 1_048_000;

type Answer = z.input<typeof QueryUsage.reply>;

const nameOf = (groups: readonly UsageGroup[], row: GroupRow): string =>
  JSON.stringify([row.from.getTime(), ...groups.map((group) => row[group])]);

/** Latency percentiles by row. */
function latenciesByRow(groups: readonly UsageGroup[], rows: readonly LatencyRow[]): Map<string, UsageLatency> {
  const found = new Map<string, UsageLatency>();
  for (const row of rows) {
    const name = nameOf(groups, row);
    const percentiles = { p50: valueOfBucket(row.p50), p95: valueOfBucket(row.p95), p99: valueOfBucket(row.p99) };
    found.set(name, { ...found.get(name), [row.figure]: percentiles });
  }
  return found;
}

/** A sum as a number, at most the largest safe integer. */
const sumOf = (text: string | number): number => Math.max(0, Math.min(Number(text), Number.MAX_SAFE_INTEGER));

const rowOf = (groups: readonly UsageGroup[], row: SumRow): Answer['rows'][number] => ({
  from: row.from.toISOString(),
  ...Object.fromEntries(
    groups.filter((group) => row[group] !== NO_DEPLOYMENT || group !== 'deployment').map((group) => [group, row[group]]),
  ),
  requests: sumOf(row.requests),
  errors: sumOf(row.errors),
  prompt_tokens: sumOf(row.prompt),
  cached_tokens: sumOf(row.cached),
  completion_tokens: sumOf(row.completion),
});

const tooLarge = (): ServiceError =>
  new ServiceError('invalid_request', 'The result is too large; ask for longer steps, fewer groups or a shorter range.', {
    param: 'step',
  });

/** Answers questions about usage from the ledger. */
@Injectable()
export class UsageQueries {
  constructor(
    private readonly transactions: Transactions,
    private readonly queries: UsageQueriesRepository,
  ) {}

  /** @throws ServiceError `invalid_request` for an empty range or a result that is too large */
  async sums(question: Question): Promise<Answer> {
    if (Date.parse(question.from) >= Date.parse(question.to)) {
      throw new ServiceError('invalid_request', 'The range is empty: `from` must come before `to`.', { param: 'to' });
    }
    const asOf = new Date();
    const [rows, latencies] = await this.transactions.read(async (connection) => [
      await this.queries.sums(connection, question, USAGE_ROWS_MAX + 1),
      question.latency ? await this.queries.latencies(connection, question) : null,
    ]);
    if (rows.length > USAGE_ROWS_MAX) throw tooLarge();
    const groups = question.group_by;
    const found = latencies && latenciesByRow(groups, latencies);
    const result = rows.map((row) => ({ ...rowOf(groups, row), ...(found && { latency: found.get(nameOf(groups, row)) ?? {} }) }));
    if (fitting(result, ROWS_BYTES_MAX).length < result.length) throw tooLarge();
    return { rows: result, as_of: asOf.toISOString() };
  }

  /** One request of an account, as the ledger knows it now; null where it knows none. */
  async request({ account, id }: z.output<typeof FindRequest.request>): Promise<z.input<typeof FindRequest.reply>> {
    const row = await this.transactions.read((connection) => this.queries.request(connection, account, id));
    if (!row) return { request: null };
    const { startedAt, ttft, ms, prompt, cached, completion, ...facts } = row;
    const latency = { ttft_ms: ttft === null ? null : sumOf(ttft), ms: sumOf(ms) };
    const tokens = { prompt_tokens: sumOf(prompt), cached_tokens: sumOf(cached), completion_tokens: sumOf(completion) };
    return { request: { ...facts, started_at: startedAt.toISOString(), ...latency, ...tokens } };
  }

  /** Tokens of keys and accounts today and this month, and which of the given requests they include, all at the same moment. */
  async budgets({ keys, accounts, requests }: z.output<typeof QueryBudgets.request>): Promise<z.input<typeof QueryBudgets.reply>> {
    const day = Date.now() - (Date.now() % DAY_MS);
    const rows = await this.transactions.read((connection) => this.queries.budgets(connection, { keys, accounts, requests, day }));
    const totalsOf = (kind: 'key' | 'account', ids: readonly number[]): { id: number; day: number; month: number }[] => {
      const found = new Map(rows.filter((row) => row.kind === kind).map((row) => [row.name, row]));
      return ids.map((id) => ({ id, day: sumOf(found.get(String(id))?.day ?? 0), month: sumOf(found.get(String(id))?.month ?? 0) }));
    };
    const counted = rows.filter(({ kind }) => kind === 'request');
    return {
      day,
      keys: totalsOf('key', keys),
      accounts: totalsOf('account', accounts),
      requests: counted.map(({ name, month, final }) => ({ st: StreamId.parse(name), tokens: sumOf(month), final })),
    };
  }

  /** When each of these keys was last used; unused keys are left out. */
  lastUsed(keys: readonly number[]): Promise<Map<number, Date>> {
    if (keys.length === 0) return Promise.resolve(new Map<number, Date>());
    return this.transactions.read((connection) => this.queries.lastUsed(connection, keys));
  }
}
