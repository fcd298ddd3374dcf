import { type DeploymentId, type Incarnation, NameWorkers, runnerName, type WorkerIdentity, WORKER_NAMES_MAX } from '@slipway/contracts';
import { eachSecond, type Logger, type NatsConnection, newUserKey, nuid, RpcClient } from '@slipway/platform';
import { type HeldName, heldName } from './join.js';

/** Names in advance for each deployment that runs here: runners that crash start again while keys-service is away. */
const SPARE = 2;
/** Deployments whose first names fit into one question. */
const AT_ONCE = Math.floor(WORKER_NAMES_MAX / (1 + SPARE));
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
  /** A name that has not been used. @throws ServiceError where there is none left, and keys-service gives none now */
  take(deployment: DeploymentId): Promise<RunnerName>;
  start(): void;
  stop(): void;
}

const newName = (agent: Incarnation, deployment: DeploymentId): Incarnation => runnerName(agent, deployment, nuid.next());

/** Names of runners that share their agent's NATS user. */
export class SharedRunnerNames implements RunnerNames {
  constructor(private readonly agent: Incarnation) {}

  take(deployment: DeploymentId): Promise<RunnerName> {
    const wk = newName(this.agent, deployment);
    return Promise.resolve({ wk, held: null, onRenewed: () => undefined, giveBack: () => undefined });
  }

  start(): void {
    // Nothing is renewed.
  }

  stop(): void {
    // Nothing is renewed.
  }
}

interface Entry {
  readonly deployment: DeploymentId;
  readonly held: HeldName;
  renewAt: number;
  renewed: ((jwt: string) => void) | null;
}

/** A runner that waits for a name. */
interface Taker {
  readonly deployment: DeploymentId;
  readonly given: (entry: Entry) => void;
  readonly failed: (error: unknown) => void;
}

const spares = (deployment: DeploymentId): DeploymentId[] => Array.from({ length: SPARE }, () => deployment);
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

/**
 * Names of runners with a NATS user each, bound to one deployment: asked for with some in advance, and renewed at half of their
 * life, the agent's own too.
 */
export class NamedRunners implements RunnerNames {
  readonly #rpc: RpcClient;
  readonly #spare = new Map<DeploymentId, Entry[]>();
  readonly #used = new Set<Entry>();
  #takers: Taker[] = [];
  #agentRenewAt: number;
  #endSeconds: (() => void) | undefined;
  #looking = false;
  #failing = false;
  /** Not before this time, by `performance.now()`. */
  #nextAt = 0;

  constructor(private readonly options: NamedRunnersOptions) {
    this.#rpc = new RpcClient(options.nats, options.env);
    this.#agentRenewAt = halfOf(options.agent.expiresAt);
  }

  /** From now on names are renewed: each second it looks which are due. */
  start(): void {
    this.#endSeconds = eachSecond(() => {
      if (!this.#looking && performance.now() >= this.#nextAt) void this.#look();
    });
  }

  async take(deployment: DeploymentId): Promise<RunnerName> {
    const entry = this.#spare.get(deployment)?.shift() ?? (await this.#askFor(deployment));
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
    this.#endSeconds?.();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    const failed = await this.#askForAll().then(
      () => null,
      (error: unknown) => error,
    );
    if (failed !== null && !this.#failing) this.options.log.warn({ err: failed, names: this.#used.size }, 'agent.names_wait');
    if (failed === null && this.#failing) this.options.log.info({ names: this.#used.size }, 'agent.names_recovered');
    this.#failing = failed !== null;
    if (this.#failing) this.#nextAt = performance.now() + AGAIN_MS;
    this.#looking = false;
  }

  async #askForAll(): Promise<void> {
    const { agent, rejoin } = this.options;
    if (Date.now() >= this.#agentRenewAt) {
      Object.assign(agent, heldName(agent.key, await rejoin()));
      this.#agentRenewAt = halfOf(agent.expiresAt);
    }
    this.#forgetUnused();
    const due = [...this.#used, ...this.#spares()].filter(({ renewAt }) => Date.now() >= renewAt);
    for (let i = 0; i < due.length; i += WORKER_NAMES_MAX) await this.#renew(due.slice(i, i + WORKER_NAMES_MAX));
    await this.#refill();
  }

  #spares(): Entry[] {
    return [...this.#spare.values()].flat();
  }

  /** What was in advance for a deployment that does not run here any more is not renewed. */
  #forgetUnused(): void {
    const running = this.#running();
    for (const [deployment, [first]] of this.#spare) {
      if (!running.has(deployment) && (!first || Date.now() >= first.renewAt)) this.#spare.delete(deployment);
    }
  }

  #running(): Set<DeploymentId> {
    return new Set([...this.#used].map(({ deployment }) => deployment));
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

  async #refill(): Promise<void> {
    const missing = [...this.#running()].flatMap((deployment) => {
      return spares(deployment).slice(this.#spare.get(deployment)?.length ?? 0);
    });
    for (let i = 0; i < missing.length; i += WORKER_NAMES_MAX) this.#keep(await this.#make(missing.slice(i, i + WORKER_NAMES_MAX)));
  }

  #keep(entries: readonly Entry[]): void {
    for (const entry of entries) this.#spare.set(entry.deployment, [...(this.#spare.get(entry.deployment) ?? []), entry]);
  }

  /** Those that are asked for in the same turn travel together: a new worker may start a thousand runners. */
  #askFor(deployment: DeploymentId): Promise<Entry> {
    if (this.#takers.length === 0) setImmediate(() => void this.#serveTakers());
    return new Promise((given, failed) => this.#takers.push({ deployment, given, failed }));
  }

  async #serveTakers(): Promise<void> {
    const takers = this.#takers;
    this.#takers = [];
    for (let i = 0; i < takers.length; i += AT_ONCE) await this.#serve(takers.slice(i, i + AT_ONCE));
  }

  async #serve(takers: readonly Taker[]): Promise<void> {
    try {
      const wanted = takers.map(({ deployment }) => deployment);
      const made = await this.#make([...wanted, ...wanted.flatMap(spares)]);
      this.#keep(made.slice(takers.length));
      for (const [i, entry] of made.slice(0, takers.length).entries()) takers[i]?.given(entry);
    } catch (error) {
      for (const { failed } of takers) failed(error);
    }
  }

  /** New names, in the order of their deployments. */
  async #make(deployments: readonly DeploymentId[]): Promise<Entry[]> {
    const { wk: agent } = this.options.agent;
    const wanted = deployments.map((deployment) => ({ deployment, wk: newName(agent, deployment), key: newUserKey() }));
    const identities = await this.#ask(wanted);
    return wanted.map(({ deployment, wk, key }) => {
      const identity = identities.get(wk);
      if (!identity) throw new Error('keys-service left out a name that it was asked for.');
      const held = heldName(key, identity);
      return { deployment, held, renewAt: halfOf(held.expiresAt), renewed: null };
    });
  }

  async #ask(names: readonly Pick<HeldName, 'wk' | 'key'>[]): Promise<Map<string, WorkerIdentity>> {
    const { wk } = this.options.agent;
    const request = { wk, names: names.map((name) => ({ wk: name.wk, key: name.key.public })) };
    const { identities } = await this.#rpc.call(NameWorkers, request, { wk });
    return new Map(identities.map((identity) => [identity.wk, identity]));
  }
}
