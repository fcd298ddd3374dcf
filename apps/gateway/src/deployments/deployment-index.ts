import type { AccountId, AliasFacts, DeploymentFacts, DeploymentFeedRecord, DeploymentId } from '@slipway/contracts';
import type { FeedSink } from '@slipway/feed';

/** Deployments and aliases in memory, as the deployment feed tells them. */
export class DeploymentIndex implements FeedSink<DeploymentFeedRecord> {
  readonly #deployments = new Map<DeploymentId, DeploymentFacts>();
  readonly #aliases = new Map<string, AliasFacts>();
  /** Where an alias record is found by the id that its changes carry. */
  readonly #aliasOfRecord = new Map<string, string>();

  /** Number of deployments, for the metrics. */
  get size(): number {
    return this.#deployments.size;
  }

  replaceAll(records: readonly { readonly id: string; readonly rec: DeploymentFeedRecord }[]): void {
    for (const map of [this.#deployments, this.#aliases, this.#aliasOfRecord]) map.clear();
    for (const { id, rec } of records) this.put(id, rec);
  }

  /** @param id `<type>:<id>`, as changes name their records. */
  put(id: string, record: DeploymentFeedRecord): void {
    if (record.type === 'deployment') {
      this.#deployments.set(record.id, record);
      return;
    }
    this.remove(id);
    const name = aliasKey(record.account, record.name);
    this.#aliases.set(name, record);
    this.#aliasOfRecord.set(id, name);
  }

  remove(id: string): void {
    const [type, number] = id.split(':');
    if (type === 'deployment') this.#deployments.delete(Number(number) as DeploymentId);
    const alias = this.#aliasOfRecord.get(id);
    if (alias === undefined) return;
    this.#aliasOfRecord.delete(id);
    this.#aliases.delete(alias);
  }

  deployment(id: DeploymentId): DeploymentFacts | undefined {
    return this.#deployments.get(id);
  }

  alias(account: AccountId, name: string): AliasFacts | undefined {
    return this.#aliases.get(aliasKey(account, name));
  }
}

const aliasKey = (account: AccountId, name: string): string => `${account}/${name}`;
