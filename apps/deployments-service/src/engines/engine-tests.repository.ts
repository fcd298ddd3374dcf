import { Injectable } from '@nestjs/common';
import type { AccountId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

const RECENT = `
  SELECT count(*)::integer AS tests FROM audit.entry
  WHERE account_id = $1 AND action = 'engine.test' AND at > clock_timestamp() - interval '1 minute'`;

/** Tests of engines, as the audit log knows them. */
@Injectable()
export class EngineTestsRepository {
  /** Tests of the account in the last minute; further ones wait until the transaction ends. */
  async recent(tx: EntityManager, account: AccountId): Promise<number> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`engine.test:${account}`]);
    const [row] = await tx.query<{ tests: number }[]>(RECENT, [account]);
    return row?.tests ?? 0;
  }
}
