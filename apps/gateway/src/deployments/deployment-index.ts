import type { AccountId, AliasFacts, DeploymentFacts, DeploymentFeedRecord, DeploymentId } from '@slipway/contracts';
import type { FeedRenewal, FeedSink } from '@slipway/feed';

interface Tables {
  readonly deployments: Map<DeploymentId, DeploymentFacts>;
  readonly aliases: Map<string, AliasFacts>;
  /** From the id of an alias record to its key in `aliases`. */
  readonly aliasOfRecord: Map<string, string>;
}

const emptyTables = (): Tables => ({ deployments: new Map(), aliases: new Map(), aliasOfRecord: new Map() });

/** In-memory index of deployments and aliases, filled by the deployment feed. */
export class DeploymentIndex implements FeedSink<DeploymentFeedRecord> {
  #tables = emptyTables();

  /** Number of deployments, for the metrics. */
  get size(): number {
    return this.#tables.deployments.size;
  }

  renew(): FeedRenewal<DeploymentFeedRecord> {
    const tables = emptyTables();
    return {
      put: (id, record) => put(tables, id, record),
      swap: () => {
        this.#tables = tables;
      },
    };
  }

  /** @param id `<type>:<id>` */
  put(id: string, record: DeploymentFeedRecord): void {
    put(this.#tables, id, record);
  }

  remove(id: string): void {
    const [type, number] = id.split(':');
    if (type === 'deployment') this.#tables.deployments.delete(Number(number) as DeploymentId);
    else dropAlias(this.#tables, id);
  }

  deployment(id: DeploymentId): DeploymentFacts | undefined {
    return this.#tables.deployments.get(id);
  }

  alias(account: AccountId, name: string): AliasFacts | undefined {
    return this.#tables.aliases.get(aliasKey(account, name));
  }
}

const aliasKey = (account: AccountId, name: string): string => `${account}/${name}`;

function put(tables: Tables, id: string, record: DeploymentFeedRecord): void {
  if (record.type === 'deployment') {
    tables.deployments.set(record.id, record);
    return;
  }
  dropAlias(tables, id);
  const name = aliasKey(record.account, record.name);
  tables.aliases.set(name, record);
  tables.aliasOfRecord.set(id, name);
}

function dropAlias({ aliases, aliasOfRecord }: Tables, id: string): void {
  const alias = aliasOfRecord.get(id);
  if (alias === undefined) return;
  aliasOfRecord.delete(id);
  aliases.delete(alias);
}
