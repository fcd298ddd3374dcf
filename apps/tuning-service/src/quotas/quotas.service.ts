import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AuditEntry,
  type FindTuningQuotas,
  type FindTuningUse,
  ServiceError,
  type SetTuningQuotas,
  type TuningCounts,
  TuningQuotas,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, Transactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { QuotasRepository } from './quotas.repository.js';

/** Injection token of the default quotas. */
export const QUOTA_DEFAULTS = Symbol('quota defaults');

type Counted = keyof TuningCounts;

/** Name of each quota in messages. */
const WORDS: Readonly<Record<Counted, string>> = {
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

/** Checks, shows and sets quotas. */
@Injectable()
export class QuotasService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly own: Transactions,
    private readonly quotas: QuotasRepository,
    private readonly audit: AuditLog,
    @Inject(QUOTA_DEFAULTS) private readonly defaults: TuningCounts,
  ) {}

  /** Locks the account's quotas until the transaction ends, before it locks other rows of the account. */
  lock(tx: Tx, account: AccountId): Promise<void> {
    return this.quotas.lock(tx, account);
  }

  /** The quotas that apply to the account. */
  async of(connection: Tx, account: AccountId): Promise<TuningCounts> {
    const own = await this.quotas.find(connection, account);
    const names = Object.keys(this.defaults) as Counted[];
    return Object.fromEntries(names.map((name) => [name, own[name] ?? this.defaults[name]])) as TuningCounts;
  }

  /** What the account has now. */
  used(connection: Tx, account: AccountId): Promise<TuningCounts> {
    return this.quotas.used(connection, account);
  }

  /**
   * Checks that the account may have what a transaction adds, and locks its quotas until the transaction ends. Call it before the
   * transaction locks other rows of the account.
   * @throws ServiceError `quota_exceeded` with the quota and the present use
   */
  async claim(tx: Tx, account: AccountId, added: Partial<TuningCounts>): Promise<void> {
    await this.quotas.lock(tx, account);
    const [used, quotas] = [await this.quotas.used(tx, account), await this.of(tx, account)];
    for (const [name, more = 0] of Object.entries(added) as [Counted, number | undefined][]) {
      if (more > 0 && used[name] + more > quotas[name]) throw exceeded(name, { quota: quotas[name], used: used[name] });
    }
  }

  /**
   * The same for a version of a data set that has so many versions already.
   * @throws ServiceError `quota_exceeded`
   */
  async claimVersion(tx: Tx, account: AccountId, { versions, bytes }: { versions: number; bytes: number }): Promise<void> {
    await this.claim(tx, account, { bytes });
    const { versions: quota } = await this.of(tx, account);
    if (versions >= quota) throw exceeded('versions', { quota, used: versions });
  }

  use({ account }: { account: AccountId }): Promise<z.input<typeof FindTuningUse.reply>> {
    return this.transactions.read(account, async (connection) => ({
      quotas: await this.of(connection, account),
      used: await this.quotas.used(connection, account),
    }));
  }

  find({ account }: { account: AccountId }): Promise<z.input<typeof FindTuningQuotas.reply>> {
    return this.transactions.read(account, (connection) => this.#describe(connection, account));
  }

  async set(request: z.output<typeof SetTuningQuotas.request>): Promise<z.input<typeof SetTuningQuotas.reply>> {
    const { account, quotas: changes, actor } = request;
    // Not through AccountTransactions: a busy account must not keep the operator waiting.
    return this.own.run(async (tx) => {
      await this.quotas.lock(tx, account);
      const before = await this.quotas.find(tx, account);
      const entries = Object.entries({ ...before, ...changes });
      const next = TuningQuotas.parse(Object.fromEntries(entries.filter(([, quota]) => quota !== null && quota !== undefined)));
      await this.quotas.set(tx, account, next);
      const facts = factsOf(before, next);
      await this.audit.record(tx, { account, actor, action: 'quotas.set', object: `account:${account}`, facts });
      return this.#describe(tx, account);
    });
  }

  async #describe(tx: Tx, account: AccountId): Promise<z.input<typeof FindTuningQuotas.reply>> {
    const [quotas, used] = [await this.quotas.find(tx, account), await this.quotas.used(tx, account)];
    return { quotas, defaults: this.defaults, used };
  }
}

/** The changed quotas for the audit log, each as "before → after". */
function factsOf(before: TuningQuotas, after: TuningQuotas): AuditEntry['facts'] {
  const changed = (Object.keys(WORDS) as Counted[]).filter((name) => before[name] !== after[name]);
  return Object.fromEntries(changed.map((name) => [name, `${before[name] ?? 'default'} → ${after[name] ?? 'default'}`]));
}

/** The refusal of what a quota does not allow. */
export const exceeded = (name: Counted, { quota, used }: { quota: number; used: number }): ServiceError =>
  new ServiceError(
    'quota_exceeded',
    `This account has ${used} ${WORDS[name]} and may have ${quota}: there is no room for more. The operator can raise the quota.`,
    { facts: { quota, used } },
  );
