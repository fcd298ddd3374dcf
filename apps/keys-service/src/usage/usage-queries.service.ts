import { Injectable } from '@nestjs/common';
import { type QueryUsage, ServiceError, USAGE_ROWS_MAX, type UsageGroup } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { z } from 'zod';
import { type SumRow, UsageQueriesRepository } from './usage-queries.repository.js';

type Question = z.output<typeof QueryUsage.request>;
type Answer = z.input<typeof QueryUsage.reply>;

const rowOf = (groups: readonly UsageGroup[], row: SumRow): Answer['rows'][number] => ({
  from: row.from.toISOString(),
  ...Object.fromEntries(groups.map((group) => [group, row[group]])),
  requests: Number(row.requests),
  errors: Number(row.errors),
  prompt_tokens: Number(row.prompt),
  cached_tokens: Number(row.cached),
  completion_tokens: Number(row.completion),
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
    const rows = await this.transactions.read((connection) => this.queries.sums(connection, question, USAGE_ROWS_MAX + 1));
    if (rows.length > USAGE_ROWS_MAX) {
      throw new ServiceError('invalid_request', 'That is too much for one answer; ask for longer steps, fewer groups or a shorter range.', {
        param: 'step',
      });
    }
    return { rows: rows.map((row) => rowOf(question.group_by, row)), as_of: asOf.toISOString() };
  }

  /** When each of these keys was last used; those that never were are left out. */
  lastUsed(keys: readonly number[]): Promise<Map<number, Date>> {
    if (keys.length === 0) return Promise.resolve(new Map<number, Date>());
    return this.transactions.read((connection) => this.queries.lastUsed(connection, keys));
  }
}
