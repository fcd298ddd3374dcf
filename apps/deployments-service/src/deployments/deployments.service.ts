import { Injectable } from '@nestjs/common';
import { type CreateDeployment, type DeploymentId, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { z } from 'zod';
import { DeploymentAnnouncer } from '../feed/deployment-announcer.js';
import { CredentialVault } from './credential-vault.js';
import { DeploymentDefaults } from './deployment-defaults.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { SourceRules } from './source-rules.js';

type CreateRequest = z.output<typeof CreateDeployment.request>;

/** What fits into an HTTP header without a change. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

@Injectable()
export class DeploymentsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly deployments: DeploymentsRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly rules: SourceRules,
    private readonly vault: CredentialVault,
    private readonly defaults: DeploymentDefaults,
  ) {}

  /** Makes a deployment that is wanted ready. Whether its model exists is found out by the agent that loads it. */
  async create(request: CreateRequest): Promise<{ id: DeploymentId }> {
    const { account, name, context, default_max_tokens: defaultMaxTokens } = request;
    const source = await this.rules.check(request.source);
    const credential = this.#seal(request);
    const id = await this.transactions.run(async (tx) => {
      const made = await this.deployments.insert(tx, {
        ...{ account, name, source, credential },
        replicas: request.replicas ?? this.defaults.replicas(source),
        slots: request.slots ?? this.defaults.slots(source),
        context: context ?? null,
        defaultMaxTokens: defaultMaxTokens ?? null,
      });
      await this.announcer.record(tx, made.change);
      return made.id;
    });
    this.announcer.committed();
    return { id };
  }

  #seal({ account, source, credential }: CreateRequest): string | null {
    if (credential === undefined) return null;
    const wrong = (message: string): ServiceError => new ServiceError('invalid_request', message, { param: 'credential' });
    if (source.kind !== 'http') throw wrong('Only HTTP engines take a credential.');
    if (!HEADER_SAFE.test(credential)) throw wrong('A credential is printable ASCII without blanks.');
    return this.vault.seal(credential, account);
  }
}
