import { Injectable } from '@nestjs/common';
import type { AccountId, CountedQuota } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

export type QuotaCounts = Readonly<Record<CountedQuota, number>>;

const COUNT: QuotaStatements = {
  keys: `SELECT count(*)::integer AS n FROM keys.key WHERE account_id = $1 AND kind = 'dep' AND state = 'active'`,
  members: `SELECT count(*)::integer AS n FROM people.membership WHERE account_id = $1`,
  invitations: `SELECT count(*)::integer AS n FROM people.invitation WHERE account_id = $1 AND closed_at IS NULL AND expires_at > now()`,
};
type QuotaStatements = Readonly<Record<CountedQuota, string>>;

/** How much an account has of what quotas bound. */
@Injectable()
export class QuotaUseRepository {
  async count(tx: Tx, account: AccountId, quota: CountedQuota): Promise<number> {
    const [row] = await tx.query<{ n: number }[]>(COUNT[quota], [account]);
    return row?.n ?? 0;
  }

  /** Keys that were made within a day, revoked ones too: gateways hold those as well. */
  async keysOfDay(tx: Tx, account: AccountId): Promise<number> {
    const [row] = await tx.query<{ n: number }[]>(
      `SELECT count(*)::integer AS n FROM keys.key WHERE account_id = $1 AND kind = 'dep' AND created_at > now() - interval '1 day'`,
      [account],
    );
    return row?.n ?? 0;
  }
}
