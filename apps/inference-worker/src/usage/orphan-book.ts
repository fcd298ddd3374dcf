import type { AccountId, Incarnation, KeyId, OrphanUsage, Start, Usage } from '@slipway/contracts';

/** Silence after which a gateway counts as dead: ten heartbeats, in milliseconds. */
const GONE_MS = 10_000;
/**
 * Longest time from a stream's end here to the gateway's own record of it, in milliseconds: the end is repeated until it is
 * acknowledged, also after outages of NATS.
 */
const RECORDED_WITHIN_MS = 30_000;
/** Most counts kept; beyond it the oldest one is dropped. */
const COUNTS_MAX = 20_000;

/** An ended generation, and the gateway, account and key that it was made for. */
export interface EndedGeneration {
  /** Without the request, so that no prompt is kept. */
  readonly start: Pick<Start, 'st' | 'at' | 'dep' | 'rev' | 'api'>;
  readonly gw: Incarnation;
  readonly account: AccountId;
  readonly key: KeyId;
  /** The gateway's claim from the start; null = none. */
  readonly claim: string | null;
  /** When it began, milliseconds since the epoch. */
  readonly started: number;
  readonly ms: number;
  readonly usage: Usage;
}

interface Kept {
  readonly ended: EndedGeneration;
  readonly at: number;
}

interface Gateway {
  readonly kept: Map<string, Kept>;
  lastHeartbeatAt: number;
}

function orphanOf({ start, gw, account, key, claim, started, ms, usage }: EndedGeneration): OrphanUsage | null {
  const { st, at, dep, rev, api } = start;
  if (api === 'count') return null;
  const { prompt, cached, completion, estimated } = usage;
  const counts = { started, ms, prompt, cached, completion, ...(estimated && { estimated }) };
  const contract = api === 'embed' ? 'embeddings' : api;
  return { st, at, gw, ...(claim !== null && { claim }), acct: account, key, dep, rev, api: contract, ...counts };
}

/**
 * Keeps the usage of ended streams by gateway until the gateway has certainly recorded it itself. The usage of a dead gateway is
 * reported to keys-service, which takes it where the gateway left no record.
 */
export class OrphanBook {
  readonly #gateways = new Map<Incarnation, Gateway>();
  #size = 0;

  /** @param orphaned is called for each count whose gateway is dead */
  constructor(private readonly orphaned: (orphan: OrphanUsage) => void) {}

  get size(): number {
    return this.#size;
  }

  /** @param now of this process, in milliseconds. */
  ended(ended: EndedGeneration, now: number): void {
    const gateway = this.#gateways.get(ended.gw) ?? { kept: new Map<string, Kept>(), lastHeartbeatAt: now };
    this.#gateways.set(ended.gw, gateway);
    const name = `${ended.start.st} ${ended.start.at}`;
    if (!gateway.kept.has(name)) this.#size += 1;
    gateway.kept.set(name, { ended, at: now });
    if (this.#size > COUNTS_MAX) this.#giveUpOne(gateway);
  }

  /** Notes a gateway's heartbeat. @param owesMs age of its oldest record that is not stored yet, in milliseconds */
  heartbeat(gw: Incarnation, owesMs: number, now: number): void {
    const gateway = this.#gateways.get(gw);
    if (!gateway) return;
    gateway.lastHeartbeatAt = now;
    for (const [name, { at }] of gateway.kept) {
      if (now - at <= owesMs + RECORDED_WITHIN_MS) break;
      gateway.kept.delete(name);
      this.#size -= 1;
    }
    if (gateway.kept.size === 0) this.#gateways.delete(gw);
  }

  /** Restarts the silence of all gateways, after an outage of this process's own connection. */
  excuse(now: number): void {
    for (const gateway of this.#gateways.values()) gateway.lastHeartbeatAt = now;
  }

  /** Reports the counts of dead gateways. */
  sweep(now: number): void {
    for (const [gw, gateway] of this.#gateways) {
      if (now - gateway.lastHeartbeatAt <= GONE_MS) continue;
      this.#gateways.delete(gw);
      this.#size -= gateway.kept.size;
      for (const { ended } of gateway.kept.values()) {
        const orphan = orphanOf(ended);
        if (orphan) this.orphaned(orphan);
      }
    }
  }

  #giveUpOne({ kept }: Gateway): void {
    for (const name of kept.keys()) {
      kept.delete(name);
      this.#size -= 1;
      return;
    }
  }
}
