import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { AgentHeartbeat, ListModels, ModelSource, ModelView } from '@slipway/contracts';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { AccountTransactions } from '../quotas/account-transactions.js';
import { AgentTable } from '../agents/agent-table.js';
import { DeploymentsRepository, type StoredDeployment } from '../deployments/deployments.repository.js';
import { isNamed } from '../placement/given-units.js';
import { loadOf } from '../placement/unit.js';
import { ModelFolders } from './model-folders.js';

type Named = Exclude<ModelSource, { kind: 'http' }>;

/** A deployment of the account whose newest revision names the model. */
type User = Pick<StoredDeployment, 'id' | 'rev' | 'agents' | 'state'>;

const keyOf = (source: Named): string => (source.kind === 'file' ? `file ${source.path}` : `download ${source.uri}`);

/** By name, then by kind and address: no two models have the same place. */
function compareModels(a: Named, b: Named): number {
  const [left, right] = nameOf(a) === nameOf(b) ? [keyOf(a), keyOf(b)] : [nameOf(a), nameOf(b)];
  return Number(left > right) - Number(left < right);
}

/** File name of a path, of a URL or of `hf:user/repo/file.gguf`. */
const nameOf = (source: Named): string => basename(source.kind === 'file' ? source.path : (source.uri.split(/[?#]/)[0] ?? ''));

/** The models that an account can name. */
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
    const bytes = new Map(files.map((file) => [keyOf({ kind: 'file', path: file.path }), file.bytes]));
    const sources = new Map<string, Named>(files.map(({ path }) => [keyOf({ kind: 'file', path }), { kind: 'file', path }]));
    const users = new Map<string, User[]>();
    for (const user of own) {
      if (user.source.kind === 'http') continue;
      const key = keyOf(user.source);
      sources.set(key, user.source);
      users.set(key, [...(users.get(key) ?? []), user]);
    }
    const agents = this.agents.live();
    const behind = after === undefined || after.kind === 'http' ? null : after;
    const wanted = [...sources.values()].filter((source) => !behind || compareModels(source, behind) > 0).sort(compareModels);
    const views = wanted.map((source): ModelView => {
      const key = keyOf(source);
      const named = users.get(key) ?? [];
      const hosts = hostsOf(source, named, agents);
      return { source, name: nameOf(source), bytes: bytes.get(key) ?? null, hosts, deployments: named.map(({ id }) => id) };
    });
    const models = [...fitting(views)];
    return { models, truncated, next: models.length < views.length ? (models.at(-1)?.source ?? null) : null };
  }
}

function hostsOf(source: Named, users: readonly User[], agents: readonly AgentHeartbeat[]): string[] {
  const has = (agent: AgentHeartbeat): boolean =>
    (source.kind === 'download' && agent.cached.includes(source.uri)) ||
    users.some((user) => isNamed(user, agent.wk) && loadOf(agent, { dep: user.id, rev: user.rev })?.state === 'ready');
  return [...new Set(agents.filter(has).map(({ host }) => host))].sort();
}
