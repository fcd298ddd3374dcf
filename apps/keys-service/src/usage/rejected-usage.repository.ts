import { Injectable } from '@nestjs/common';
import type { EventContract } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import type { z } from 'zod';

/** Rows that are kept; the oldest are deleted first. */
const KEPT_ROWS = 1_000;
/** Characters that are kept of a record, and of a reason. */
const RECORD_CHARS = 4_000;
const REASON_CHARS = 500;

/** Usage that cannot be counted. */
export interface RejectedUsage {
  /** The subject of its contract. */
  readonly subject: string;
  /** `unreadable` = it does not match its contract; `refused` = by the database; `unclaimed` = no gateway opened its stream. */
  readonly why: 'unreadable' | 'refused' | 'unclaimed';
  readonly reason: string;
  /** As it came. It has numbers and names, never a prompt, an answer or a key. */
  readonly record: unknown;
}

/** A record that does not match its contract. */
export const unreadable = ({ subject }: EventContract, record: unknown, { issues }: Pick<z.ZodError, 'issues'>): RejectedUsage => {
  const [issue] = issues;
  return { subject, why: 'unreadable', reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, record };
};

/** Rows of usage that could not be counted, the newest 1,000. */
@Injectable()
export class RejectedUsageRepository {
  async put(tx: Tx, rejected: readonly RejectedUsage[]): Promise<void> {
    const rows = rejected.slice(-KEPT_ROWS).map(({ record, reason, ...row }) => ({
      ...row,
      reason: printable(reason).slice(0, REASON_CHARS),
      // As text: JSON can have values that jsonb refuses.
      record: (JSON.stringify(record) ?? '').slice(0, RECORD_CHARS),
    }));
    await tx.query(
      `INSERT INTO usage.rejected (subject, why, reason, record)
       SELECT r.subject, r.why, r.reason, r.record FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS r(subject, why, reason, record)`,
      [rows.map(({ subject }) => subject), rows.map(({ why }) => why), rows.map(({ reason }) => reason), rows.map(({ record }) => record)],
    );
    await tx.query(`DELETE FROM usage.rejected WHERE id <= (SELECT max(id) FROM usage.rejected) - $1`, [KEPT_ROWS]);
  }
}

/** PostgreSQL accepts every character but NUL. */
const printable = (text: string): string => text.replaceAll('\0', '');
