import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { AccountId, AgentHeartbeat, DeploymentId, ListModels, ModelSource, ModelView } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { z } from 'zod';
import { AgentTable } from '../agents/agent-table.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { ModelFolders } from './model-folders.js';

type Named = Exclude<ModelSource, { kind: 'http' }>;

const keyOf = (source: Named): string => (source.kind === 'file' ? `file ${source.path}` : `download ${source.uri}`);

/** File name of a path, of a URL or of `hf:user/repo/file.gguf`. */
const nameOf = (source: Named): string => basename(source.kind === 'file' ? source.path : (source.uri.split(/[?#]/)[0] ?? ''));

/** The models that an account can name. */
@Injectable()
export class ModelCatalogService {
  constructor(
    private readonly transactions: Transactions,
    private readonly deployments: DeploymentsRepository,
    private readonly agents: AgentTable,
    private readonly folders: ModelFolders,
  ) {}

  async list({ account }: { account: AccountId }): Promise<z.input<typeof ListModels.reply>> {
    const [{ files, truncated }, own] = await Promise.all([
      this.folders.list(),
      this.transactions.read((connection) => this.deployments.list(connection, account)),
    ]);
    const bytes = new Map(files.map((file) => [keyOf({ kind: 'file', path: file.path }), file.bytes]));
    const sources = new Map<string, Named>(files.map(({ path }) => [keyOf({ kind: 'file', path }), { kind: 'file', path }]));
    const users = new Map<string, DeploymentId[]>();
    for (const { id, source } of own) {
      if (source.kind === 'http') continue;
      const key = keyOf(source);
      sources.set(key, source);
      users.set(key, [...(users.get(key) ?? []), id]);
    }
    const agents = this.agents.live();
    const models = [...sources].map(([key, source]): ModelView => {
      const deployments = users.get(key) ?? [];
      return { source, name: nameOf(source), bytes: bytes.get(key) ?? null, hosts: hostsOf(source, deployments, agents), deployments };
    });
    return { models: models.sort((a, b) => (a.name < b.name ? -1 : 1)), truncated };
  }
}

function hostsOf(source: Named, deployments: readonly DeploymentId[], agents: readonly AgentHeartbeat[]): string[] {
  const has = ({ cached, loads }: AgentHeartbeat): boolean =>
    (source.kind === 'download' && cached.includes(source.uri)) ||
    loads.some(({ dep, state }) => state === 'ready' && deployments.includes(dep));
  return [...new Set(agents.filter(has).map(({ host }) => host))].sort();
}
