import { Inject, Injectable } from '@nestjs/common';
import type { AccountId, FindTuningUse, ServiceError, TuningCounts } from '@slipway/contracts';
import { AccountTransactions, AuditLog, CountedQuotas, Transactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { QuotasRepository } from './quotas.repository.js';

/** Injection token of the default quotas. */
export const QUOTA_DEFAULTS = Symbol('quota defaults');

/** Name of each quota in refusals. */
const THINGS: Readonly<Record<keyof TuningCounts, string>> = {
  datasets: 'data sets',
  versions: 'versions of a data set',
  bytes: 'bytes of data sets, checkpoints and adapters',
  file_bytes: 'bytes of one file',
  examples: 'examples of one version',
  uploads: 'open uploads',
  running_jobs: 'running jobs',
  queued_jobs: 'waiting jobs',
  job_tokens: 'learned tokens of one job',
  month_tokens: 'learned tokens this month',
  adapters: 'adapters',
};

/** Checks, shows and sets the quotas of data sets, jobs and adapters. */
@Injectable()
export class QuotasService extends CountedQuotas<keyof TuningCounts> {
  constructor(
    transactions: Transactions,
    private readonly accounts: AccountTransactions,
    audit: AuditLog,
    tables: QuotasRepository,
    @Inject(QUOTA_DEFAULTS) defaults: TuningCounts,
  ) {
    super({ transactions, accounts, audit, tables, defaults, things: THINGS });
  }

  /**
   * `claim` for a version of a data set that has so many versions already.
   * @throws ServiceError `quota_exceeded`
   */
  async claimVersion(tx: Tx, account: AccountId, { versions, bytes }: { versions: number; bytes: number }): Promise<void> {
    await this.claim(tx, account, { bytes });
    const { versions: quota } = await this.of(tx, account);
    if (versions >= quota) throw this.exceeded('versions', { quota, used: versions });
  }

  /**
   * Checks that a job may learn so many tokens, and the account this month.
   * @throws ServiceError `quota_exceeded`
   */
  async requireTokens(tx: Tx, account: AccountId, tokens: number): Promise<void> {
    const refusal = await this.tokenExcess(tx, account, tokens);
    if (refusal) throw refusal;
  }

  /**
   * The refusal of a job that learns so many tokens; null = it may.
   * @param own tokens of the same job that are counted as used already
   */
  async tokenExcess(tx: Tx, account: AccountId, tokens: number, own = 0): Promise<ServiceError | null> {
    const [{ job_tokens, month_tokens }, used] = [await this.of(tx, account), await this.used(tx, account)];
    if (tokens > job_tokens) return this.exceeded('job_tokens', { quota: job_tokens, used: tokens });
    const month = used.month_tokens - own;
    return month + tokens > month_tokens ? this.exceeded('month_tokens', { quota: month_tokens, used: month }) : null;
  }

  /** The quotas that apply to the account, and their use. */
  use({ account }: { account: AccountId }): Promise<z.input<typeof FindTuningUse.reply>> {
    return this.accounts.read(account, async (connection) => ({
      quotas: await this.of(connection, account),
      used: await this.used(connection, account),
    }));
  }
}
