import { Injectable } from '@nestjs/common';
import type { AccountId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

const RECENT = `
  SELECT count(*)::integer AS tests FROM audit.entry
  WHERE account_id = $1 AND action = 'engine.test' AND at > clock_timestamp() - interval '1 minute'`;

/** Counts engine tests in the audit log. */
@Injectable()
export class EngineTestsRepository {
  /** Tests of the account in the last minute. Other transactions that count the account's tests wait until this one ends. */
  async recent(tx: EntityManager, account: AccountId): Promise<number> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`engine.test:${account}`]);
    const [row] = await tx.query<{ tests: number }[]>(RECENT, [account]);
    return row?.tests ?? 0;
  }
}
