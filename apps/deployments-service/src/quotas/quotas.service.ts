import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AuditEntry,
  type DeploymentCounts,
  DeploymentQuotas,
  type FindDeploymentQuotas,
  ServiceError,
  type SetDeploymentQuotas,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, Transactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { QuotasRepository } from './quotas.repository.js';

/** Injection token of the default quotas. */
export const QUOTA_DEFAULTS = Symbol('quota defaults');

type Counted = keyof DeploymentCounts;

/** Name of each quota in messages, and the request field that asks for more. */
const WORDS: Readonly<Record<Counted, { readonly word: string; readonly param: string }>> = {
  deployments: { word: 'deployments', param: 'account' },
  replicas: { word: 'replicas', param: 'replicas' },
  aliases: { word: 'aliases', param: 'alias' },
};

/** Checks, shows and sets quotas. */
@Injectable()
export class QuotasService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly own: Transactions,
    private readonly quotas: QuotasRepository,
    private readonly audit: AuditLog,
    @Inject(QUOTA_DEFAULTS) private readonly defaults: DeploymentCounts,
  ) {}

  /**
   * Checks that the account may have what a transaction adds, and locks its quotas until the transaction ends. Call it before the
   * transaction locks other rows of the account.
   * @throws ServiceError `quota_exceeded` with the quota and the present use
   */
  async claim(tx: Tx, account: AccountId, added: Partial<DeploymentCounts>): Promise<void> {
    await this.quotas.lock(tx, account);
    const [used, own] = [await this.quotas.used(tx, account), await this.quotas.find(tx, account)];
    for (const name of Object.keys(WORDS) as Counted[]) {
      const more = added[name] ?? 0;
      const quota = own[name] ?? this.defaults[name];
      if (more > 0 && used[name] + more > quota) throw exceeded(name, { quota, used: used[name], more });
    }
  }

  find({ account }: { account: AccountId }): Promise<z.input<typeof FindDeploymentQuotas.reply>> {
    return this.transactions.read(account, (connection) => this.#describe(connection, account));
  }

  async set(request: z.output<typeof SetDeploymentQuotas.request>): Promise<z.input<typeof SetDeploymentQuotas.reply>> {
    const { account, quotas: changes, actor } = request;
    // Not through AccountTransactions: a busy account must not keep the operator waiting.
    return this.own.run(async (tx) => {
      await this.quotas.lock(tx, account);
      const before = await this.quotas.find(tx, account);
      const entries = Object.entries({ ...before, ...changes });
      const next = DeploymentQuotas.parse(Object.fromEntries(entries.filter(([, quota]) => quota !== null && quota !== undefined)));
      await this.quotas.set(tx, account, next);
      await this.audit.record(tx, {
        account,
        actor,
        action: 'quotas.set',
        object: `account:${account}`,
        facts: factsOf(before, next),
      });
      return this.#describe(tx, account);
    });
  }

  async #describe(tx: Tx, account: AccountId): Promise<z.input<typeof FindDeploymentQuotas.reply>> {
    const [quotas, used] = [await this.quotas.find(tx, account), await this.quotas.used(tx, account)];
    return { quotas, defaults: this.defaults, used };
  }
}

/** The changed quotas for the audit log, each as "before → after". */
function factsOf(before: DeploymentQuotas, after: DeploymentQuotas): AuditEntry['facts'] {
  const changed = (Object.keys(WORDS) as Counted[]).filter((name) => before[name] !== after[name]);
  return Object.fromEntries(changed.map((name) => [name, `${before[name] ?? 'default'} → ${after[name] ?? 'default'}`]));
}

function exceeded(name: Counted, { quota, used, more }: { quota: number; used: number; more: number }): ServiceError {
  const { word, param } = WORDS[name];
  const wanted = more === 1 ? 'one more' : `${more} more`;
  return new ServiceError(
    'quota_exceeded',
    `This account has ${used} ${word} and may have ${quota}: there is no room for ${wanted}. The operator can raise the quota.`,
    { param, facts: { quota, used } },
  );
}
