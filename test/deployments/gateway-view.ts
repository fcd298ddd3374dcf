import type { AliasFacts, DeploymentFacts, DeploymentFeedRecord } from '@slipway/contracts';
import type { FeedRenewal } from '@slipway/feed';

/** What a gateway knows by the feed, with every state in which it saw each deployment. */
export class GatewayView {
  readonly records = new Map<string, DeploymentFeedRecord>();
  readonly states = new Map<number, string[]>();

  renew(): FeedRenewal<DeploymentFeedRecord> {
    const records = new Map<string, DeploymentFeedRecord>();
    return {
      put: (id, rec) => void records.set(id, rec),
      swap: () => {
        this.records.clear();
        for (const [id, rec] of records) this.put(id, rec);
      },
    };
  }

  put(id: string, rec: DeploymentFeedRecord): void {
    this.records.set(id, rec);
    if (rec.type !== 'deployment') return;
    const seen = this.states.get(rec.id) ?? [];
    if (seen.at(-1) !== rec.state) this.states.set(rec.id, [...seen, rec.state]);
  }

  remove(id: string): void {
    this.records.delete(id);
  }

  deployment(id: number): DeploymentFacts | undefined {
    const record = this.records.get(`deployment:${id}`);
    return record?.type === 'deployment' ? record : undefined;
  }

  /** The deployment that the alias points at. */
  alias(account: number, name: string): number | undefined {
    return this.#alias(account, name)?.deployment;
  }

  /** The share of the alias's candidate in percent; 0 without one. */
  share(account: number, name: string): number {
    return this.canary(account, name)?.percent ?? 0;
  }

  /** The other side of the alias. */
  canary(account: number, name: string): AliasFacts['canary'] {
    return this.#alias(account, name)?.canary;
  }

  #alias(account: number, name: string): AliasFacts | undefined {
    const record = this.records.get(`alias:${account}/${name}`);
    return record?.type === 'alias' ? record : undefined;
  }
}
