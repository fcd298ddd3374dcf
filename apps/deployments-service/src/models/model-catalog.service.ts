import { AccountTransactions } from '@slipway/database';
import { Injectable } from '@nestjs/common';
import {
  type AgentHeartbeat,
  downloadOf,
  fileOf,
  type ListModels,
  modelNameOf,
  type ModelSource,
  type ModelView,
} from '@slipway/contracts';
import { pageOf } from '@slipway/platform';
import type { z } from 'zod';
import { AgentTable } from '../agents/agent-table.js';
import { DeploymentsRepository, type StoredDeployment } from '../deployments/deployments.repository.js';
import { isAssignedTo } from '../placement/assigned-units.js';
import { loadOf } from '../placement/unit.js';
import { ModelFolders } from './model-folders.js';

/** A deployment of the account whose newest revision uses the model. */
type User = Pick<StoredDeployment, 'id' | 'rev' | 'agents' | 'state'>;

/** Identifies a model, whichever engine loads it; null for a source that is neither a file nor a download. */
function keyOf(source: ModelSource): string | null {
  const address = fileOf(source) ?? downloadOf(source);
  return address === null ? null : `${source.kind} ${address}`;
}

/** The source without the engine that a deployment chose. */
const bare = ({ engine: _, ...source }: ModelSource): ModelSource => source;

/** Total order: by name, then by kind and address. */
function compareModels(a: ModelSource, b: ModelSource): number {
  const names = [modelNameOf(a), modelNameOf(b)] as const;
  const [left, right] = names[0] === names[1] ? ([keyOf(a) ?? '', keyOf(b) ?? ''] as const) : names;
  return Number(left > right) - Number(left < right);
}

/** Lists the models that an account can use. */
@Injectable()
export class ModelCatalogService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly agents: AgentTable,
    private readonly folders: ModelFolders,
  ) {}

  async list({ account, after }: z.output<typeof ListModels.request>): Promise<z.input<typeof ListModels.reply>> {
    const [{ files, truncated }, own] = await Promise.all([
      this.folders.list(),
      this.transactions.read(account, (connection) => this.deployments.list(connection, account)),
    ]);
    const bytes = new Map<string, number>();
    const sources = new Map<string, ModelSource>();
    for (const file of files) {
      const key = `file ${file.path}`;
      bytes.set(key, file.bytes);
      sources.set(key, { kind: 'file', path: file.path });
    }
    const users = new Map<string, User[]>();
    for (const user of own) {
      const key = keyOf(user.source);
      if (key === null) continue;
      sources.set(key, bare(user.source));
      users.set(key, [...(users.get(key) ?? []), user]);
    }
    const agents = this.agents.live();
    const behind = after === undefined || keyOf(after) === null ? null : after;
    const wanted = [...sources].filter(([, source]) => !behind || compareModels(source, behind) > 0);
    const views = wanted
      .sort(([, a], [, b]) => compareModels(a, b))
      .map(([key, source]): ModelView => {
      const named = users.get(key) ?? [];
      const hosts = hostsOf(source, named, agents);
      return { source, name: modelNameOf(source), bytes: bytes.get(key) ?? null, hosts, deployments: named.map(({ id }) => id) };
    });
    const { items: models, next } = pageOf(views, views.length, ({ source }) => source);
    return { models, truncated, next };
  }
}

function hostsOf(source: ModelSource, users: readonly User[], agents: readonly AgentHeartbeat[]): string[] {
  const address = downloadOf(source);
  const has = (agent: AgentHeartbeat): boolean =>
    (address !== null && agent.cached.includes(address)) ||
    users.some((user) => isAssignedTo(user, agent.wk) && loadOf(agent, { dep: user.id, rev: user.rev })?.state === 'ready');
  return [...new Set(agents.filter(has).map(({ host }) => host))].sort();
}
