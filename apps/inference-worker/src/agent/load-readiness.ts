import type { AgentLoad } from '@slipway/contracts';

/** How long a first assignment is waited for, in milliseconds: without deployments-service there is none. */
const ASSIGNED_WITHIN_MS = 10_000;
/** How long one deployment may load before it holds nothing up any more, in milliseconds. */
const LOADED_WITHIN_MS = 600_000;
/** Most deployments that a reason names. */
const NAMED_MAX = 5;

type Load = Pick<AgentLoad, 'dep' | 'rev' | 'state'>;

/**
 * Whether a worker serves what it was assigned, so that a rollout waits with the next one. What failed holds nothing up, or one
 * broken deployment could stop every rollout.
 */
export class LoadReadiness {
  readonly #from: number;
  /** When each load was first seen loading. */
  #loading = new Map<string, number>();
  #isAssigned = false;

  /** @param now monotonic, in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#from = now();
  }

  /** An assignment came, be it empty. */
  assigned(): void {
    this.#isAssigned = true;
  }

  /** What /readyz says of the loads; null when they hold nothing up. */
  notReady(loads: readonly Load[]): string | null {
    const now = this.now();
    const loading = loads.filter(({ state }) => state === 'loading');
    this.#loading = new Map(loading.map((load) => [nameOf(load), this.#loading.get(nameOf(load)) ?? now]));
    if (!this.#isAssigned && now - this.#from < ASSIGNED_WITHIN_MS) return 'no assignment has come';
    const held = loading.filter((load) => now - (this.#loading.get(nameOf(load)) ?? now) < LOADED_WITHIN_MS);
    if (held.length === 0) return null;
    const names = held.slice(0, NAMED_MAX).map(({ dep }) => `deployment-${dep}`);
    const more = held.length > NAMED_MAX ? ` and ${held.length - NAMED_MAX} more` : '';
    return `loading ${names.join(', ')}${more}`;
  }
}

const nameOf = ({ dep, rev }: Load): string => `${dep}:${rev}`;
