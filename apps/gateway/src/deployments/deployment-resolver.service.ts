import {
  type AccountId,
  type AliasFacts,
  type DeploymentFacts,
  type DeploymentFeedRecord,
  type DeploymentId,
  deploymentSlug,
  parseDeploymentSlug,
  ServiceError,
  taskOf,
} from '@slipway/contracts';
import type { FeedRenewal, FeedSink } from '@slipway/feed';
import type { KeyIndex } from '../auth/key-index.js';
import type { Caller } from '../auth/key-verifier.service.js';
import { mix } from '../routing/choose-worker.js';

interface Tables {
  readonly deployments: Map<DeploymentId, DeploymentFacts>;
  readonly aliases: Map<string, AliasFacts>;
  /** From the id of an alias record to its key in `aliases`. */
  readonly aliasOfRecord: Map<string, string>;
}

const emptyTables = (): Tables => ({ deployments: new Map(), aliases: new Map(), aliasOfRecord: new Map() });

/** In-memory index of deployments and aliases, filled by the deployment feed. */
export class DeploymentIndex implements FeedSink<DeploymentFeedRecord> {
  #tables = emptyTables();
  #storeEnds: (deployment: DeploymentId) => void = () => undefined;

  /** @param listener called when a deployment that stored responses is gone, or stores no longer */
  whenStoreEnds(listener: (deployment: DeploymentId) => void): void {
    this.#storeEnds = listener;
  }

  /** Number of deployments, for the metrics. */
  get size(): number {
    return this.#tables.deployments.size;
  }

  renew(): FeedRenewal<DeploymentFeedRecord> {
    const tables = emptyTables();
    return {
      put: (id, record) => put(tables, id, record),
      swap: () => {
        const before = this.#tables.deployments.values();
        this.#tables = tables;
        for (const { id, store } of before) this.#reportStore(id, store);
      },
    };
  }

  /** @param id `<type>:<id>` */
  put(id: string, record: DeploymentFeedRecord): void {
    const stored = record.type === 'deployment' && this.#tables.deployments.get(record.id)?.store;
    put(this.#tables, id, record);
    if (record.type === 'deployment') this.#reportStore(record.id, stored);
  }

  remove(id: string): void {
    const [type, number] = id.split(':');
    const deployment = Number(number) as DeploymentId;
    if (type !== 'deployment') return dropAlias(this.#tables, id);
    const stored = this.#tables.deployments.get(deployment)?.store;
    this.#tables.deployments.delete(deployment);
    return this.#reportStore(deployment, stored);
  }

  /** @param stored whether its responses were stored before */
  #reportStore(id: DeploymentId, stored: boolean | undefined): void {
    if (stored && !this.deployment(id)?.store) this.#storeEnds(id);
  }

  deployment(id: DeploymentId): DeploymentFacts | undefined {
    return this.#tables.deployments.get(id);
  }

  /** Deployments that are to serve. */
  wanted(): DeploymentId[] {
    return [...this.#tables.deployments.values()].filter(({ desired }) => desired === 'ready').map(({ id }) => id);
  }

  alias(account: AccountId, name: string): AliasFacts | undefined {
    return this.#tables.aliases.get(aliasKey(account, name));
  }
}

type CanaryFacts = NonNullable<AliasFacts['canary']>;

const aliasKey = (account: AccountId, name: string): string => `${account}/${name}`;

function put(tables: Tables, id: string, record: DeploymentFeedRecord): void {
  if (record.type === 'deployment') {
    tables.deployments.set(record.id, record);
    return;
  }
  dropAlias(tables, id);
  const name = aliasKey(record.account, record.name);
  tables.aliases.set(name, record);
  tables.aliasOfRecord.set(id, name);
}

function dropAlias({ aliases, aliasOfRecord }: Tables, id: string): void {
  const alias = aliasOfRecord.get(id);
  if (alias === undefined) return;
  aliasOfRecord.delete(id);
  aliases.delete(alias);
}

/** How a path names a deployment: by slug, or by account and alias. */
export type DeploymentName = { readonly deployment: string } | { readonly account: string; readonly alias: string };

/** The deployment of one request. It stays the same when its alias is changed meanwhile. */
export interface ResolvedDeployment {
  readonly facts: DeploymentFacts;
  readonly slug: string;
  /** The alias in the path, if there is one. */
  readonly alias: string | undefined;
  /** True when `model` names this deployment: its slug, an alias of it, or `account/alias`. */
  readonly isNamed: (model: string) => boolean;
  /** Absent = this deployment answers all requests. */
  readonly canary?: ResolvedCanary;
}

/** A second deployment that answers a share of an alias's conversations. */
export interface ResolvedCanary {
  readonly candidate: ResolvedDeployment;
  /** False = it cannot take requests now: all of them stay where they are. */
  readonly canServe: boolean;
  /** Share of the conversations, in percent. */
  readonly percent: number;
  /** Number that differs between keys and candidates, so that each has other conversations first. */
  readonly seed: number;
}

/** State of deployments outside of the feeds' records. */
export interface DeploymentStatus {
  /** A runner of the deployment is ready. */
  readonly isReady: (deployment: DeploymentId) => boolean;
  /** The deployment index is complete and up to date. */
  readonly isCurrent: () => boolean;
}

/** Finds the deployment that a path names, with the caller's access rights. */
export class DeploymentResolver {
  constructor(
    private readonly keys: KeyIndex,
    private readonly deployments: DeploymentIndex,
    private readonly status: DeploymentStatus,
  ) {}

  /**
   * @throws ServiceError `model_not_found`, with one text for deployments that do not exist, belong to another account or are
   *   not open to the key; `deployment_stopped`; `deployment_unavailable` while it is not ready, or the feed is not current.
   */
  resolve(name: DeploymentName, caller: Caller): ResolvedDeployment {
    const named = 'alias' in name ? this.#aliasOf(name, caller) : undefined;
    const facts = 'alias' in name ? named && this.deployments.deployment(named.deployment) : this.#bySlug(name.deployment);
    if (!facts || !isOpenTo(caller, facts)) throw this.status.isCurrent() ? notFound() : lookupUnavailable();
    this.#checkState(facts);
    const slug = deploymentSlug(facts.id);
    const alias = 'alias' in name ? name.alias : undefined;
    const isNamed = (model: string): boolean => model === slug || model === alias || this.#isAlias(model, facts, caller);
    const resolved = { facts, slug, alias, isNamed };
    return named?.canary ? this.#shared(resolved, named.canary, caller) : resolved;
  }

  /** The deployment of an alias with its canary, unless the key has no access to the candidate. */
  #shared(stable: ResolvedDeployment, { deployment, percent }: CanaryFacts, caller: Caller): ResolvedDeployment {
    const facts = this.deployments.deployment(deployment);
    if (!facts || !isOpenTo(caller, facts)) return stable;
    const slug = deploymentSlug(facts.id);
    const isNamed = (model: string): boolean => model === slug || stable.isNamed(model);
    const seed = mix(caller.key.id ^ mix(facts.id));
    const canServe = percent > 0 && this.#canStandIn(facts, stable.facts);
    return { ...stable, isNamed, canary: { candidate: { facts, slug, alias: stable.alias, isNamed }, canServe, percent, seed } };
  }

  /** True where the candidate does the same task and has a runner here. */
  #canStandIn(candidate: DeploymentFacts, stable: DeploymentFacts): boolean {
    if (candidate.desired === 'stopped' || !this.status.isReady(candidate.id)) return false;
    const [task, wanted] = [taskOf(candidate.caps), taskOf(stable.caps)];
    return task === null || wanted === null || task === wanted;
  }

  #bySlug(slug: string): DeploymentFacts | undefined {
    const id = parseDeploymentSlug(slug);
    return id === null ? undefined : this.deployments.deployment(id);
  }

  #aliasOf(name: { readonly account: string; readonly alias: string }, caller: Caller): AliasFacts | undefined {
    const account = this.keys.accountBySlug(name.account);
    const alias = account && this.deployments.alias(account.id, name.alias);
    // Aliases of other accounts are not followed, so that both errors take the same time.
    return alias?.account === caller.account.id ? alias : undefined;
  }

  #checkState(facts: DeploymentFacts): void {
    if (facts.desired === 'stopped') {
      throw new ServiceError(
        'deployment_stopped',
        'This deployment is stopped. Resume it in the dashboard or through the MCP server, then send the request again.',
      );
    }
    const serves = facts.state === 'ready' || facts.state === 'degraded' || this.status.isReady(facts.id);
    if (serves) return;
    if (facts.state === 'failed') {
      throw new ServiceError('deployment_unavailable', 'This deployment could not be started; its screen in the dashboard says why.', {
        retryAfterS: 30,
      });
    }
    throw new ServiceError('deployment_unavailable', 'This deployment is starting and not ready yet; try again soon.', { retryAfterS: 5 });
  }

  #isAlias(model: string, facts: DeploymentFacts, caller: Caller): boolean {
    const prefix = `${caller.account.slug}/`;
    const name = model.startsWith(prefix) ? model.slice(prefix.length) : model;
    return this.deployments.alias(caller.account.id, name)?.deployment === facts.id;
  }
}

function isOpenTo({ account, key }: Caller, facts: DeploymentFacts): boolean {
  return facts.account === account.id && facts.state !== 'deleting' && (key.deployments?.includes(facts.id) ?? true);
}

const lookupUnavailable = (): ServiceError =>
  new ServiceError('deployment_unavailable', 'Deployments cannot be looked up right now; try again soon.', { retryAfterS: 2 });

const notFound = (): ServiceError =>
  new ServiceError('model_not_found', 'There is no such deployment, or this API key has no access to it.');
