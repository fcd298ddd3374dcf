import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type DeploymentId, isServiceError, ServeAdapter, ServiceError } from '@slipway/contracts';
import { AccountTransactions } from '@slipway/database';
import { RpcClient } from '@slipway/platform';
import { deploymentNotFound, DeploymentsRepository } from '../deployments/deployments.repository.js';

/** A deployment that is to get an alias's requests. */
interface Serving {
  readonly account: AccountId;
  readonly deployment: DeploymentId;
  /** Why it is to get them although its adapter's verdict is bad. */
  readonly override?: string | null | undefined;
  readonly actor?: Actor | undefined;
}

/**
 * Asks tuning-service for the verdict of a deployment's adapter before an alias leads to it. Deployments without an adapter are never
 * asked about. While tuning-service does not answer, an adapter gets an alias only for a reason.
 */
@Injectable()
export class AdapterGate {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * Returns where the deployment may be served. An override of a bad verdict is in tuning-service's audit log then.
   * @throws ServiceError `gate_not_passed` naming the checks; `unavailable`; `deployment_not_found`
   */
  async require({ account, deployment, override, actor }: Serving): Promise<void> {
    const found = await this.transactions.read(account, (connection) => this.deployments.find(connection, account, deployment));
    if (!found) throw deploymentNotFound();
    if (!found.adapter) return;
    try {
      await this.rpc.call(ServeAdapter, { account, adapter: found.adapter.id, promotes: true, actor, ...(override && { override }) });
    } catch (error) {
      if (!isServiceError(error)) throw error;
      // A deleted adapter has no verdict; its deployment goes on.
      if (error.code === 'adapter_not_found') return;
      if (error.code !== 'unavailable') throw new ServiceError(error.code, error.message, { param: 'override' });
      if (!override) throw unknownVerdict(error);
    }
  }
}

const unknownVerdict = (cause: ServiceError): ServiceError =>
  new ServiceError(
    'unavailable',
    "The verdict of the deployment's adapter is not known, since tuning-service does not answer. Try again, or give a reason to go on without it.",
    { param: 'override', retryAfterS: 5, cause },
  );
