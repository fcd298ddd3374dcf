import type { AccountId, Incarnation, KeyId, OrphanUsage, Start, Usage } from '@slipway/contracts';

/** A gateway that was silent for this long is gone: ten of its beats, in milliseconds. */
const GONE_MS = 10_000;
/**
 * A gateway has written its own record this long after a stream ended here, at the latest: the end is repeated until it is
 * acknowledged, through outages of NATS too. In milliseconds.
 */
const RECORDED_WITHIN_MS = 30_000;
/** Counts that are kept at most; beyond it the oldest one is given up. */
const COUNTS_MAX = 20_000;

/** A generation that is over, and for whom it was made. */
export interface EndedGeneration {
  /** Without the request: nothing of a prompt stays. */
  readonly start: Pick<Start, 'st' | 'at' | 'dep' | 'rev' | 'api'>;
  readonly gw: Incarnation;
  readonly account: AccountId;
  readonly key: KeyId;
  /** What the start said of who opened it; null = nothing. */
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
  heardAt: number;
}

function orphanOf({ start, gw, account, key, claim, started, ms, usage }: EndedGeneration): OrphanUsage | null {
  const { st, at, dep, rev, api } = start;
  if (api === 'count') return null;
  const { prompt, cached, completion, estimated } = usage;
  const counts = { started, ms, prompt, cached, completion, ...(estimated && { estimated }) };
  return { st, at, gw, ...(claim !== null && { claim }), acct: account, key, dep, rev, api, ...counts };
}

/**
 * What was counted for each gateway, until that gateway has certainly written it down itself. Of a gateway that is gone it
 * goes to keys-service, which takes it where the gateway left no record.
 */
export class OrphanBook {
  readonly #gateways = new Map<Incarnation, Gateway>();
  #size = 0;

  /** @param orphaned is given each count whose gateway is gone. */
  constructor(private readonly orphaned: (orphan: OrphanUsage) => void) {}

  get size(): number {
    return this.#size;
  }

  /** @param now of this process, in milliseconds. */
  ended(ended: EndedGeneration, now: number): void {
    const gateway = this.#gateways.get(ended.gw) ?? { kept: new Map<string, Kept>(), heardAt: now };
    this.#gateways.set(ended.gw, gateway);
    const name = `${ended.start.st} ${ended.start.at}`;
    if (!gateway.kept.has(name)) this.#size += 1;
    gateway.kept.set(name, { ended, at: now });
    if (this.#size > COUNTS_MAX) this.#giveUpOne(gateway);
  }

  /** A gateway lives; its oldest record that is not kept yet has waited for `owesMs`. */
  heard(gw: Incarnation, owesMs: number, now: number): void {
    const gateway = this.#gateways.get(gw);
    if (!gateway) return;
    gateway.heardAt = now;
    for (const [name, { at }] of gateway.kept) {
      if (now - at <= owesMs + RECORDED_WITHIN_MS) break;
      gateway.kept.delete(name);
      this.#size -= 1;
    }
    if (gateway.kept.size === 0) this.#gateways.delete(gw);
  }

  /** The own connection was away: nobody's silence until now says anything. */
  excuse(now: number): void {
    for (const gateway of this.#gateways.values()) gateway.heardAt = now;
  }

  /** Hands over what gateways left that are gone. */
  sweep(now: number): void {
    for (const [gw, gateway] of this.#gateways) {
      if (now - gateway.heardAt <= GONE_MS) continue;
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
