import { Injectable } from '@nestjs/common';
import { agentOfRunner, type Incarnation, ServiceError, type WorkerIdentity } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import { userJwt, WorkerSigning } from '@slipway/platform';
import { JoinRate } from './join-rate.js';
import { type NamedKey, WorkerNamesRepository } from './worker-names.repository.js';

const HOUR_MS = 3_600_000;
/** Life of one NATS user of a worker, in milliseconds. Workers ask for the next one at half of it. */
const IDENTITY_LIFE_MS = 24 * HOUR_MS;
/** A name stays with its key for this long after its last user expired, in milliseconds. */
const KEPT_MS = 24 * HOUR_MS;
/** Agents that are known at once: far more than a large fleet starts in two days. */
const AGENTS_MAX = 20_000;
/** Names of one agent's runners that are known at once; beyond it those that were renewed longest ago are forgotten. */
const NAMES_OF_AGENT_MAX = 4_096;
/** The same while there are very many names in all. */
const CROWDED_AT = 200_000;
const NAMES_OF_AGENT_CROWDED = 256;
/** How often ended names are forgotten and all are counted, in milliseconds. */
const SWEEP_EVERY_MS = 60_000;

interface Giving {
  readonly host: string | null;
  /** Before names are given. @throws ServiceError where none may be */
  readonly admit: (tx: Tx) => Promise<void>;
  readonly after?: (tx: Tx) => Promise<void>;
}

/** Makes the NATS users of workers: each process hears and says only what belongs to its own name. */
@Injectable()
export class WorkerNames {
  readonly #rate = new JoinRate(() => performance.now());
  #sweptAt = Number.NEGATIVE_INFINITY;
  #known = { names: 0, agents: 0 };

  constructor(
    private readonly transactions: Transactions,
    private readonly names: WorkerNamesRepository,
    private readonly signing: WorkerSigning,
  ) {}

  /** @throws ServiceError `unavailable` where this service has no signing keys, `slug_taken`, `rate_limit_exceeded`, `not_permitted` */
  async join({ wk, key, host }: NamedKey & { readonly host: string }): Promise<WorkerIdentity> {
    if (agentOfRunner(wk) !== null) throw new ServiceError('invalid_request', 'The name of an agent holds no hyphen.', { param: 'wk' });
    const [identity] = await this.#give([{ wk, key }], { host, admit: (tx) => this.#admit(tx, wk, host) });
    if (!identity) throw new Error('One name was asked for, and none was given.');
    return identity;
  }

  /**
   * @param agent who asks, as its subject proves
   * @throws ServiceError as `join`; `invalid_request` for a name that is not of this agent
   */
  async name(agent: Incarnation, names: readonly NamedKey[]): Promise<WorkerIdentity[]> {
    const isTheirs = ({ wk }: NamedKey): boolean => wk === agent || agentOfRunner(wk) === agent;
    if (!names.every(isTheirs)) throw new ServiceError('invalid_request', 'A name begins with the agent’s own.', { param: 'names' });
    if (new Set(names.map(({ wk }) => wk)).size < names.length) {
      throw new ServiceError('invalid_request', 'A name is asked for twice.', { param: 'names' });
    }
    const most = this.#known.names > CROWDED_AT ? NAMES_OF_AGENT_CROWDED : NAMES_OF_AGENT_MAX;
    const admit = async (tx: Tx): Promise<void> => void (await this.#standing(tx, agent));
    return this.#give(names, { host: null, admit, after: (tx) => this.names.trim(tx, agent, most) });
  }

  /** A name that is known goes on, however many there are: without it a worker loses its connection within a day. */
  async #admit(tx: Tx, wk: Incarnation, host: string): Promise<void> {
    if ((await this.#standing(tx, wk)) === 'known') return;
    const again = this.#known.agents < AGENTS_MAX ? this.#rate.take(host) : SWEEP_EVERY_MS / 1_000;
    if (again !== null) throw new ServiceError('rate_limit_exceeded', 'Too many workers have joined.', { retryAfterS: again });
    this.#known.agents += 1;
  }

  /** @throws ServiceError `not_permitted` for an agent that an operator expelled */
  async #standing(tx: Tx, agent: Incarnation): Promise<'new' | 'known'> {
    const standing = await this.names.standing(tx, agent);
    if (standing === 'expelled') throw new ServiceError('not_permitted', 'An operator expelled this worker.');
    return standing;
  }

  async #sweep(tx: Tx): Promise<void> {
    if (performance.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#known = await this.names.sweep(tx, new Date(Date.now() - KEPT_MS));
    this.#sweptAt = performance.now();
  }

  async #give(names: readonly NamedKey[], { host, admit, after }: Giving): Promise<WorkerIdentity[]> {
    const { keys } = this.signing;
    if (!keys) throw new ServiceError('unavailable', 'keys-service has no signing keys for workers: signing.json is missing.');
    const expiresAt = new Date(Date.now() + IDENTITY_LIFE_MS);
    await this.transactions.run(async (tx) => {
      await this.#sweep(tx);
      await admit(tx);
      const given = await this.names.claim(tx, names, { host, expiresAt });
      if (given.size < names.length) throw new ServiceError('slug_taken', 'This name belongs to another process.', { param: 'wk' });
      await after?.(tx);
    });
    return names.map(({ wk, key }) => {
      const seed = agentOfRunner(wk) === null ? keys.agent : keys.runner;
      const jwt = userJwt({ name: wk, key, expiresAt: expiresAt.getTime() }, { seed, account: keys.account });
      return { wk, jwt, expires_at: expiresAt.toISOString() };
    });
  }
}
