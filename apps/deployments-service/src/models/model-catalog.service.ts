import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { AccountId, AgentHeartbeat, DeploymentId, ListModels, ModelSource, ModelView } from '@slipway/contracts';
import type { z } from 'zod';
import { AccountTransactions } from '../account-transactions.js';
import { AgentTable } from '../agents/agent-table.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { ModelFolders } from './model-folders.js';

type Named = Exclude<ModelSource, { kind: 'http' }>;

/** A deployment of the account whose newest revision names the model. */
interface User {
  readonly id: DeploymentId;
  readonly rev: number;
}

const keyOf = (source: Named): string => (source.kind === 'file' ? `file ${source.path}` : `download ${source.uri}`);

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

  async list({ account }: { account: AccountId }): Promise<z.input<typeof ListModels.reply>> {
    const [{ files, truncated }, own] = await Promise.all([
      this.folders.list(),
      this.transactions.read(account, (connection) => this.deployments.list(connection, account)),
    ]);
    const bytes = new Map(files.map((file) => [keyOf({ kind: 'file', path: file.path }), file.bytes]));
    const sources = new Map<string, Named>(files.map(({ path }) => [keyOf({ kind: 'file', path }), { kind: 'file', path }]));
    const users = new Map<string, User[]>();
    for (const { id, rev, source } of own) {
      if (source.kind === 'http') continue;
      const key = keyOf(source);
      sources.set(key, source);
      users.set(key, [...(users.get(key) ?? []), { id, rev }]);
    }
    const agents = this.agents.live();
    const models = [...sources].map(([key, source]): ModelView => {
      const named = users.get(key) ?? [];
      const hosts = hostsOf(source, named, agents);
      return { source, name: nameOf(source), bytes: bytes.get(key) ?? null, hosts, deployments: named.map(({ id }) => id) };
    });
    return { models: models.sort((a, b) => (a.name < b.name ? -1 : 1)), truncated };
  }
}

function hostsOf(source: Named, users: readonly User[], agents: readonly AgentHeartbeat[]): string[] {
  const has = ({ cached, loads }: AgentHeartbeat): boolean =>
    (source.kind === 'download' && cached.includes(source.uri)) ||
    loads.some(({ dep, rev, state }) => state === 'ready' && users.some((user) => user.id === dep && user.rev === rev));
  return [...new Set(agents.filter(has).map(({ host }) => host))].sort();
}
