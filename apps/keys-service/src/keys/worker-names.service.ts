import { Injectable } from '@nestjs/common';
import { type Actor, agentOfRunner, type Incarnation, ServiceError, type WorkerIdentity, WORKERS_PAGE } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import { userJwt, WorkerSigning } from '@slipway/platform';
import { type KnownAgent, type NamedKey, WorkerNamesRepository } from './worker-names.repository.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Life of a NATS user of a worker, in milliseconds. Workers ask for the next one at half of it. */
const IDENTITY_LIFE_MS = 24 * HOUR_MS;
/** How long a name stays with its key after its last user expired, in milliseconds. */
const KEPT_MS = 24 * HOUR_MS;
/** Known agents: far more than a large fleet starts in two days. */
const AGENTS_MAX = 20_000;
/** Known runner names per agent; beyond it the names that were renewed longest ago are deleted. */
const RUNNER_NAMES_MAX = 4_096;
/** From this many names in all, the bound per agent is the lower one below. */
const CROWDED_AT = 200_000;
const RUNNER_NAMES_MAX_CROWDED = 256;
/** How often expired names are deleted and all names are counted, in milliseconds. */
const SWEEP_EVERY_MS = 60_000;
/** New agents per minute: a fleet of a thousand hosts that starts at once waits a moment. */
const JOINS_MAX = 1_200;
/** New agents per minute of one host, by the name that it gives: far more than processes that crash and restart. */
const JOINS_PER_HOST_MAX = 120;

/** Limits how many agents join this replica of the service per minute. */
export class JoinRate {
  readonly #perHost = new Map<string, number>();
  #windowStart = Number.NEGATIVE_INFINITY;
  #total = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(private readonly now: () => number) {}

  /** Counts a join. @returns null when it is allowed, else the seconds until the next minute */
  take(host: string): number | null {
    const now = this.now();
    if (now - this.#windowStart >= MINUTE_MS) {
      this.#windowStart = now;
      this.#total = 0;
      this.#perHost.clear();
    }
    const ofHost = this.#perHost.get(host) ?? 0;
    if (this.#total >= JOINS_MAX || ofHost >= JOINS_PER_HOST_MAX) return Math.ceil((this.#windowStart + MINUTE_MS - now) / 1_000);
    this.#total += 1;
    this.#perHost.set(host, ofHost + 1);
    return null;
  }
}

interface IssueOptions {
  readonly host: string | null;
  /** Runs before the names are given. @throws ServiceError to refuse them */
  readonly admit: (tx: Tx) => Promise<void>;
  readonly after?: (tx: Tx) => Promise<void>;
}

/** Issues the NATS users of workers' processes, each restricted to the subjects of its own name, and lets operators expel agents. */
@Injectable()
export class WorkerNames {
  readonly #rate = new JoinRate(() => performance.now());
  #sweptAt = Number.NEGATIVE_INFINITY;
  #known = { names: 0, agents: 0 };

  constructor(
    private readonly transactions: Transactions,
    private readonly names: WorkerNamesRepository,
    private readonly signing: WorkerSigning,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ServiceError `unavailable` where this service has no signing keys, `slug_taken`, `rate_limit_exceeded`, `not_permitted` */
  async join({ wk, key, host }: NamedKey & { readonly host: string }): Promise<WorkerIdentity> {
    if (agentOfRunner(wk) !== null) throw new ServiceError('invalid_request', 'The name of an agent has no hyphen.', { param: 'wk' });
    const [identity] = await this.#issue([{ wk, key }], { host, admit: (tx) => this.#admit(tx, wk, host) });
    if (!identity) throw new Error('One name was requested, and none was issued.');
    return identity;
  }

  /**
   * Renews an agent's own name and names its runners.
   * @param agent the agent that asks, as its subject proves
   * @throws ServiceError as `join`; `invalid_request` for a name that is not of this agent
   */
  async name(agent: Incarnation, names: readonly NamedKey[]): Promise<WorkerIdentity[]> {
    const isOfAgent = ({ wk }: NamedKey): boolean => wk === agent || agentOfRunner(wk) === agent;
    if (!names.every(isOfAgent)) {
      throw new ServiceError('invalid_request', 'The name of a runner begins with the name of its agent.', { param: 'names' });
    }
    if (new Set(names.map(({ wk }) => wk)).size < names.length) {
      throw new ServiceError('invalid_request', 'A name is requested twice.', { param: 'names' });
    }
    const max = this.#known.names > CROWDED_AT ? RUNNER_NAMES_MAX_CROWDED : RUNNER_NAMES_MAX;
    const admit = async (tx: Tx): Promise<void> => void (await this.#requireNotExpelled(tx, agent));
    return this.#issue(names, { host: null, admit, after: (tx) => this.names.trim(tx, agent, max) });
  }

  /** Agents by name, those behind `after`. */
  async list(after: string): Promise<{ agents: KnownAgent[]; next: Incarnation | null }> {
    const found = await this.transactions.read((connection) => this.names.agents(connection, after, WORKERS_PAGE + 1));
    const agents = found.slice(0, WORKERS_PAGE);
    return { agents, next: found.length > WORKERS_PAGE ? (agents.at(-1)?.wk ?? null) : null };
  }

  /** Issues nothing to this agent from now on. @returns when the last NATS user of its names expires. @throws ServiceError `not_found` */
  expel(wk: Incarnation, actor: Actor): Promise<Date> {
    return this.transactions.run(async (tx) => {
      const expelled = await this.names.expel(tx, wk);
      if (!expelled) throw new ServiceError('not_found', 'There is no worker of this name.', { param: 'wk' });
      const { host, until, isNew } = expelled;
      const entry = { account: null, actor, action: 'worker.expel', object: `worker:${wk}`, objectName: host };
      if (isNew) await this.audit.record(tx, { ...entry, facts: { until: until.toISOString() } });
      return until;
    });
  }

  /** A known name is always renewed, however many there are: without renewal its worker loses its connection within a day. */
  async #admit(tx: Tx, wk: Incarnation, host: string): Promise<void> {
    if ((await this.#requireNotExpelled(tx, wk)) === 'known') return;
    const retryAfterS = this.#known.agents < AGENTS_MAX ? this.#rate.take(host) : SWEEP_EVERY_MS / 1_000;
    if (retryAfterS !== null) throw new ServiceError('rate_limit_exceeded', 'Too many workers have joined.', { retryAfterS });
    this.#known.agents += 1;
  }

  /** @throws ServiceError `not_permitted` for an agent that an operator expelled */
  async #requireNotExpelled(tx: Tx, agent: Incarnation): Promise<'new' | 'known'> {
    const status = await this.names.status(tx, agent);
    if (status === 'expelled') throw new ServiceError('not_permitted', 'An operator expelled this worker.');
    return status;
  }

  async #sweep(tx: Tx): Promise<void> {
    if (performance.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#known = await this.names.sweep(tx, new Date(Date.now() - KEPT_MS));
    this.#sweptAt = performance.now();
  }

  async #issue(names: readonly NamedKey[], { host, admit, after }: IssueOptions): Promise<WorkerIdentity[]> {
    const { keys } = this.signing;
    if (!keys) throw new ServiceError('unavailable', 'keys-service has no signing keys for workers: signing.json is missing.');
    const expiresAt = new Date(Date.now() + IDENTITY_LIFE_MS);
    await this.transactions.run(async (tx) => {
      await this.#sweep(tx);
      await admit(tx);
      const claimed = await this.names.claim(tx, names, { host, expiresAt });
      if (claimed.size < names.length) throw new ServiceError('slug_taken', 'This name belongs to another process.', { param: 'wk' });
      await after?.(tx);
    });
    return names.map(({ wk, key }) => {
      const seed = agentOfRunner(wk) === null ? keys.agent : keys.runner;
      const jwt = userJwt({ name: wk, key, expiresAt: expiresAt.getTime() }, { seed, account: keys.account });
      return { wk, jwt, expires_at: expiresAt.toISOString() };
    });
  }
}
