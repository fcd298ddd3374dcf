import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, isServiceError, ReportAdapterUse } from '@slipway/contracts';
import { LOG, type Logger, RpcClient } from '@slipway/platform';
import { type AdapterUse, AdapterUsesRepository } from './adapter-uses.repository.js';

/** Interval of the full report, which repairs what a lost message or another replica left wrong, in milliseconds. */
const REPORT_MS = 60_000;
/** Most deployments in a message. */
const DEPLOYMENTS_MAX = 500;

/**
 * Reports to tuning-service which deployments name which adapters, so that it deletes none of them. While it does not answer,
 * deployments run on and the next full report makes up for it.
 */
@Injectable()
export class AdapterUses {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #silent = false;

  constructor(
    private readonly repository: AdapterUsesRepository,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn' | 'info'>,
  ) {}

  start(): void {
    this.#timer = setInterval(() => this.#report(null), REPORT_MS);
    this.#report(null);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** To be called after the commit of a change of the account's deployments. */
  changed(account: AccountId): void {
    this.#report(account);
  }

  /** Reports follow each other, so that an older one never comes after a newer one of this replica. */
  #report(account: AccountId | null): void {
    this.#running = this.#running.then(() => this.#send(account)).catch((error: unknown) => this.#failed(error));
  }

  async #send(account: AccountId | null): Promise<void> {
    for (const use of await this.repository.read(account)) await this.#sendOne(use);
    if (this.#silent) this.log.info('adapters.use_reported');
    this.#silent = false;
  }

  async #sendOne(use: AdapterUse): Promise<void> {
    const { account, adapter, deployments } = use;
    try {
      await this.rpc.call(ReportAdapterUse, { account, adapter, deployments: deployments.slice(0, DEPLOYMENTS_MAX) });
    } catch (error) {
      // Deleted meanwhile, or restored from an older backup: nothing can be kept from being deleted there.
      if (!isServiceError(error) || error.code !== 'adapter_not_found') throw error;
    }
    if (deployments.length === 0) await this.repository.forget(use);
  }

  #failed(err: unknown): void {
    if (!this.#silent) this.log.warn({ err }, 'adapters.use_unreported');
    this.#silent = true;
  }
}
