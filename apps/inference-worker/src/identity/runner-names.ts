import { Incarnation, NameWorkers, type WorkerIdentity, WORKER_NAMES_MAX } from '@slipway/contracts';
import { type Logger, type NatsConnection, newUserKey, nuid, RpcClient } from '@slipway/platform';
import { type HeldName, heldName } from './join.js';

/** Names in advance: runners that crash start again while keys-service is away. */
const SPARE = 16;
/** How often it looks what is to be asked for, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** A question that failed is asked again after this time, in milliseconds. */
const AGAIN_MS = 5_000;

/** The name of one runner, until it is given back. */
export interface RunnerName {
  readonly wk: Incarnation;
  /** Null where workers share a user. */
  readonly held: HeldName | null;
  /** Calls back with each newer proof. */
  onRenewed(renewed: (jwt: string) => void): void;
  giveBack(): void;
}

/** Where runners get their names from. */
export interface RunnerNames {
  /** Null while there is none. */
  take(): RunnerName | null;
  stop(): void;
}

const suffixed = (agent: Incarnation): Incarnation => Incarnation.parse(`${agent}-${nuid.next()}`);

/** Names of runners that share their agent's NATS user. */
export class SharedRunnerNames implements RunnerNames {
  constructor(private readonly agent: Incarnation) {}

  take(): RunnerName {
    return { wk: suffixed(this.agent), held: null, onRenewed: () => undefined, giveBack: () => undefined };
  }

  stop(): void {
    // Nothing is asked for.
  }
}

interface Entry {
  readonly held: HeldName;
  renewAt: number;
  renewed: ((jwt: string) => void) | null;
}

const halfOf = (expiresAt: number): number => (Date.now() + expiresAt) / 2;

export interface NamedRunnersOptions {
  /** The agent's connection, under its own name. */
  readonly nats: NatsConnection;
  readonly env: string;
  readonly agent: HeldName;
  /** Asks for a newer proof of the agent's own name. */
  readonly rejoin: () => Promise<WorkerIdentity>;
  readonly log: Logger;
}

/** Names of runners with a NATS user each, asked for in advance and renewed at half of their life, the agent's own too. */
export class NamedRunners implements RunnerNames {
  readonly #rpc: RpcClient;
  readonly #spare: Entry[] = [];
  readonly #used = new Set<Entry>();
  #agentRenewAt: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #failing = false;

  constructor(private readonly options: NamedRunnersOptions) {
    this.#rpc = new RpcClient(options.nats, options.env);
    this.#agentRenewAt = halfOf(options.agent.expiresAt);
  }

  /** Asks for the first names; when it fails, later. */
  async start(): Promise<void> {
    await this.#look();
  }

  take(): RunnerName | null {
    const entry = this.#spare.shift();
    if (!entry) return null;
    this.#used.add(entry);
    return {
      wk: entry.held.wk,
      held: entry.held,
      onRenewed: (renewed) => {
        entry.renewed = renewed;
      },
      giveBack: () => void this.#used.delete(entry),
    };
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const failed = await this.#askForAll().then(
      () => null,
      (error: unknown) => error,
    );
    if (failed !== null && !this.#failing) this.options.log.warn({ err: failed, spare: this.#spare.length }, 'agent.names_wait');
    if (failed === null && this.#failing) this.options.log.info({ spare: this.#spare.length }, 'agent.names_recovered');
    this.#failing = failed !== null;
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#look(), this.#failing ? AGAIN_MS : LOOK_EVERY_MS).unref();
  }

  async #askForAll(): Promise<void> {
    const { agent, rejoin } = this.options;
    if (Date.now() >= this.#agentRenewAt) {
      Object.assign(agent, heldName(agent.key, await rejoin()));
      this.#agentRenewAt = halfOf(agent.expiresAt);
    }
    const due = [...this.#spare, ...this.#used].filter(({ renewAt }) => Date.now() >= renewAt);
    for (let i = 0; i < due.length; i += WORKER_NAMES_MAX) await this.#renew(due.slice(i, i + WORKER_NAMES_MAX));
    if (this.#spare.length < SPARE) await this.#refill(SPARE - this.#spare.length);
  }

  async #renew(entries: readonly Entry[]): Promise<void> {
    const identities = await this.#ask(entries.map(({ held }) => held));
    for (const entry of entries) {
      const identity = identities.get(entry.held.wk);
      if (!identity) continue;
      Object.assign(entry.held, heldName(entry.held.key, identity));
      entry.renewAt = halfOf(entry.held.expiresAt);
      entry.renewed?.(entry.held.jwt);
    }
  }

  async #refill(count: number): Promise<void> {
    const wanted = Array.from({ length: count }, () => ({ wk: suffixed(this.options.agent.wk), key: newUserKey() }));
    const identities = await this.#ask(wanted);
    for (const { wk, key } of wanted) {
      const identity = identities.get(wk);
      if (!identity) continue;
      const held = heldName(key, identity);
      this.#spare.push({ held, renewAt: halfOf(held.expiresAt), renewed: null });
    }
  }

  async #ask(names: readonly Pick<HeldName, 'wk' | 'key'>[]): Promise<Map<string, WorkerIdentity>> {
    const { wk } = this.options.agent;
    const request = { wk, names: names.map((name) => ({ wk: name.wk, key: name.key.public })) };
    const { identities } = await this.#rpc.call(NameWorkers, request, { wk });
    return new Map(identities.map((identity) => [identity.wk, identity]));
  }
}
