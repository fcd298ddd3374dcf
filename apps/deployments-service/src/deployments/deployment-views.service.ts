import { AccountTransactions } from '@slipway/database';
import { Injectable } from '@nestjs/common';
import {
  type AgentHeartbeat,
  type DeploymentView,
  engineKindOf,
  type FindDeployment,
  type ListDeployments,
  type ReplicaView,
  type RevisionView,
} from '@slipway/contracts';
import { fitting, idOf, pageOf } from '@slipway/platform';
import type { z } from 'zod';
import { AgentTable } from '../agents/agent-table.js';
import { AliasesRepository } from '../aliases/aliases.repository.js';
import { isAssignedTo } from '../placement/assigned-units.js';
import type { DeploymentName } from './deployment-commands.service.js';
import { deploymentNotFound, DeploymentsRepository, type StoredDeployment } from './deployments.repository.js';
import { RevisionsRepository, type StoredRevision } from './revisions.repository.js';

/** Rows of one page: more than fit into a message even if each is short. */
const PAGE_ROWS = 4_000;
/** Bound of the revisions in a reply, in bytes. The rest of the message is for the deployment itself. */
const REVISIONS_BYTES_MAX = 600 * 1024;

/** Lists and shows deployments. */
@Injectable()
export class DeploymentViewsService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly revisions: RevisionsRepository,
    private readonly aliases: AliasesRepository,
    private readonly agents: AgentTable,
  ) {}

  async list({ account, after }: z.output<typeof ListDeployments.request>): Promise<z.output<typeof ListDeployments.reply>> {
    const { stored, aliases } = await this.transactions.read(account, async (connection) => ({
      stored: await this.deployments.page(connection, account, { after: after ?? 0, limit: PAGE_ROWS + 1 }),
      aliases: await this.aliases.byDeployment(connection, account),
    }));
    const views = stored.map((deployment) => this.#view(deployment, aliases.get(deployment.id) ?? []));
    const { items: deployments, next } = pageOf(views, PAGE_ROWS, idOf);
    return { deployments, next };
  }

  async find({ account, deployment: id }: DeploymentName): Promise<z.input<typeof FindDeployment.reply>> {
    const { stored, aliases, revisions } = await this.transactions.read(account, async (connection) => ({
      stored: await this.deployments.find(connection, account, id),
      aliases: await this.aliases.byDeployment(connection, account),
      revisions: await this.revisions.list(connection, id),
    }));
    if (!stored) throw deploymentNotFound();
    const { caps, context } = stored;
    return {
      deployment: { ...this.#view(stored, aliases.get(id) ?? []), caps: [...caps], context },
      revisions: [...fitting(revisions.map(revisionView), REVISIONS_BYTES_MAX)],
      running: runningOn(this.agents.live(), stored),
    };
  }

  #view(
    stored: StoredDeployment,
    aliases: DeploymentView['aliases'],
  ): DeploymentView & { readonly created_at: string; readonly since: string } {
    const { id, name, source, adapter, desired, state, reason, detail, rev, servingRev, replicas, readyReplicas, slots } = stored;
    // Every replica of the service receives all heartbeats, so progress is not stored.
    const progress = this.agents.progressOf({ dep: id, rev }, (wk) => isAssignedTo(stored, wk));
    const isLoading = state === 'loading' || state === 'degraded' || (state === 'ready' && servingRev !== rev);
    return {
      ...{ id, name, aliases, source, adapter, desired, state, reason, detail, rev, replicas },
      replica_range: stored.range,
      progress: isLoading ? progress : null,
      serving_rev: servingRev,
      ready_replicas: readyReplicas,
      slots,
      created_at: stored.createdAt.toISOString(),
      engine: engineKindOf(source),
      since: stored.stateSince.toISOString(),
      updated_at: stored.updatedAt.toISOString(),
      store_responses: stored.storeResponses,
    };
  }
}

const revisionView = ({ rev, source, adapter, context, slots, threads, ...revision }: StoredRevision): RevisionView => ({
  ...{ rev, source, adapter, context, slots, threads },
  credential: revision.hasCredential,
  default_max_tokens: revision.defaultMaxTokens,
  created_at: revision.createdAt.toISOString(),
  by: revision.by,
  note: revision.note,
});

/** Loads of the deployment on the agents it is assigned to, by host, newest revision first. */
function runningOn(agents: readonly AgentHeartbeat[], stored: StoredDeployment): ReplicaView[] {
  const assigned = agents.filter(({ wk }) => isAssignedTo(stored, wk));
  const replicas = assigned.flatMap(({ wk, host, loads }) =>
    loads
      .filter(({ dep }) => dep === stored.id)
      .map(({ rev, state, progress, reason, detail, context }) => ({ agent: wk, host, rev, state, progress, reason, detail, context })),
  );
  return replicas.sort((a, b) => compareTexts(a.host, b.host) || b.rev - a.rev);
}

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b);
