import { Injectable } from '@nestjs/common';
import { agentOfRunner, type Incarnation, ServiceError, type WorkerIdentity } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { userJwt, WorkerSigning } from '@slipway/platform';
import { type NamedKey, WorkerNamesRepository } from './worker-names.repository.js';

const HOUR_MS = 3_600_000;
/** Life of one NATS user of a worker, in milliseconds. Workers ask for the next one at half of it. */
const IDENTITY_LIFE_MS = 24 * HOUR_MS;
/** A name stays with its key for this long after its last user expired, in milliseconds. */
const KEPT_MS = 24 * HOUR_MS;
/** Names that are known at once: far more than the processes of a large fleet start in two days. */
const NAMES_MAX = 200_000;

/** Makes the NATS users of workers: each process hears and says only what belongs to its own name. */
@Injectable()
export class WorkerNames {
  constructor(
    private readonly transactions: Transactions,
    private readonly names: WorkerNamesRepository,
    private readonly signing: WorkerSigning,
  ) {}

  /** @throws ServiceError `unavailable` where this service has no signing keys, `slug_taken`, `rate_limit_exceeded` */
  async join({ wk, key, host }: NamedKey & { readonly host: string }): Promise<WorkerIdentity> {
    if (agentOfRunner(wk) !== null) throw new ServiceError('invalid_request', 'The name of an agent holds no hyphen.', { param: 'wk' });
    const [identity] = await this.#give([{ wk, key }], host);
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
    return this.#give(names, null);
  }

  async #give(names: readonly NamedKey[], host: string | null): Promise<WorkerIdentity[]> {
    const { keys } = this.signing;
    if (!keys) throw new ServiceError('unavailable', 'keys-service has no signing keys for workers: signing.json is missing.');
    const expiresAt = new Date(Date.now() + IDENTITY_LIFE_MS);
    await this.transactions.run(async (tx) => {
      const known = await this.names.sweep(tx, new Date(Date.now() - KEPT_MS));
      if (known + names.length > NAMES_MAX) throw new ServiceError('rate_limit_exceeded', 'Too many workers have joined.');
      const given = await this.names.claim(tx, names, { host, expiresAt });
      if (given.size < names.length) throw new ServiceError('slug_taken', 'This name belongs to another process.', { param: 'wk' });
    });
    return names.map(({ wk, key }) => {
      const seed = agentOfRunner(wk) === null ? keys.agent : keys.runner;
      const jwt = userJwt({ name: wk, key, expiresAt: expiresAt.getTime() }, { seed, account: keys.account });
      return { wk, jwt, expires_at: expiresAt.toISOString() };
    });
  }
}
