import { Injectable } from '@nestjs/common';
import {
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
import { valueOfBucket } from './latency.js';
import { type GroupRow, type LatencyRow, type SumRow, UsageQueriesRepository } from './queries.repository.js';

type Question = z.output<typeof QueryUsage.request>;
const DAY_MS = 86_400_000;
/** Bytes of the rows of one answer: a message less what surrounds them. */
const ROWS_BYTES_MAX = 1_048_000;

type Answer = z.input<typeof QueryUsage.reply>;

const nameOf = (groups: readonly UsageGroup[], row: GroupRow): string =>
  JSON.stringify([row.from.getTime(), ...groups.map((group) => row[group])]);

/** What is known of how fast the requests of each row were answered. */
function latenciesByRow(groups: readonly UsageGroup[], rows: readonly LatencyRow[]): Map<string, UsageLatency> {
  const found = new Map<string, UsageLatency>();
  for (const row of rows) {
    const name = nameOf(groups, row);
    const percentiles = { p50: valueOfBucket(row.p50), p95: valueOfBucket(row.p95), p99: valueOfBucket(row.p99) };
    found.set(name, { ...found.get(name), [row.figure]: percentiles });
  }
  return found;
}

/** A sum that a reply can hold. */
const sumOf = (text: string | number): number => Math.max(0, Math.min(Number(text), Number.MAX_SAFE_INTEGER));

const rowOf = (groups: readonly UsageGroup[], row: SumRow): Answer['rows'][number] => ({
  from: row.from.toISOString(),
  ...Object.fromEntries(groups.map((group) => [group, row[group]])),
  requests: sumOf(row.requests),
  errors: sumOf(row.errors),
  prompt_tokens: sumOf(row.prompt),
  cached_tokens: sumOf(row.cached),
  completion_tokens: sumOf(row.completion),
});

const tooMuch = (): ServiceError =>
  new ServiceError('invalid_request', 'That is too much for one answer; ask for longer steps, fewer groups or a shorter range.', {
    param: 'step',
  });

/** What the ledger tells. */
@Injectable()
export class UsageQueries {
  constructor(
    private readonly transactions: Transactions,
    private readonly queries: UsageQueriesRepository,
  ) {}

  /** @throws ServiceError `invalid_request` for a range that is empty or an answer that is too long */
  async sums(question: Question): Promise<Answer> {
    if (Date.parse(question.from) >= Date.parse(question.to)) {
      throw new ServiceError('invalid_request', 'The range is empty: `from` must come before `to`.', { param: 'to' });
    }
    const asOf = new Date();
    const [rows, latencies] = await this.transactions.read(async (connection) => [
      await this.queries.sums(connection, question, USAGE_ROWS_MAX + 1),
      question.latency ? await this.queries.latencies(connection, question) : null,
    ]);
    if (rows.length > USAGE_ROWS_MAX) throw tooMuch();
    const groups = question.group_by;
    const found = latencies && latenciesByRow(groups, latencies);
    const told = rows.map((row) => ({ ...rowOf(groups, row), ...(found && { latency: found.get(nameOf(groups, row)) ?? {} }) }));
    if (fitting(told, ROWS_BYTES_MAX).length < told.length) throw tooMuch();
    return { rows: told, as_of: asOf.toISOString() };
  }

  /** What holders of budgets used, and which of these requests are part of that: all of one moment. */
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

  /** When each of these keys was last used; those that never were are left out. */
  lastUsed(keys: readonly number[]): Promise<Map<number, Date>> {
    if (keys.length === 0) return Promise.resolve(new Map<number, Date>());
    return this.transactions.read((connection) => this.queries.lastUsed(connection, keys));
  }
}
