import { Injectable } from '@nestjs/common';
import type { EngineSource, TestEngine } from '@slipway/contracts';
import { AccountTransactions } from '@slipway/database';
import type { z } from 'zod';
import { deploymentNotFound, DeploymentsRepository } from '../deployments/deployments.repository.js';
import { CredentialVault, type RevisionSettings, SettingsComposer } from '../deployments/revision-settings.js';
import { RevisionsRepository } from '../deployments/revisions.repository.js';

/** A test whose source names a model. */
type Request = Omit<z.output<typeof TestEngine.request>, 'source'> & { readonly source: z.output<typeof EngineSource> };

/** Finds the credential that a revision would send to its engine, without creating the revision. */
@Injectable()
export class EngineCredentials {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly revisions: RevisionsRepository,
    private readonly settings: SettingsComposer,
    private readonly vault: CredentialVault,
  ) {}

  /**
   * The credential of the request, else the one that the deployment has for the same server.
   * @throws ServiceError `deployment_not_found`, or `invalid_request` for a credential that is no header value
   */
  async credentialFor(request: Request): Promise<string | undefined> {
    const base = await this.#newestOf(request);
    const { credential } = base ? this.settings.next(base, request) : this.settings.first(request);
    return credential === null ? undefined : this.vault.open(credential, request.account);
  }

  #newestOf({ account, deployment }: Request): Promise<RevisionSettings | null> {
    if (deployment === undefined) return Promise.resolve(null);
    return this.transactions.read(account, async (connection) => {
      const found = await this.deployments.find(connection, account, deployment);
      if (!found) throw deploymentNotFound();
      return this.revisions.find(connection, deployment, found.rev);
    });
  }
}
