import {
  AccountSlug,
  AliasName,
  type DeploymentFacts,
  type DeploymentId,
  deploymentSlug,
  parseDeploymentSlug,
  ServiceError,
} from '@slipway/contracts';
import type { Caller } from '../auth/caller.js';
import type { KeyIndex } from '../auth/key-index.js';
import type { DeploymentIndex } from './deployment-index.js';

/** How a path names a deployment, undecoded by anything but the router. */
export type DeploymentName = { readonly deployment: string } | { readonly account: string; readonly alias: string };

/** A deployment as one request keeps it, also when its alias is pointed elsewhere meanwhile. */
export interface ResolvedDeployment {
  readonly facts: DeploymentFacts;
  readonly slug: string;
  /** The alias that the path named, if it did. */
  readonly alias: string | undefined;
  /** True when `model` names this deployment: its slug, an alias of it, or `account/alias`. */
  readonly isNamed: (model: string) => boolean;
}

/** What the resolver asks of the rest of the gateway. */
export interface DeploymentTruth {
  /** A runner of the deployment is ready now. */
  readonly isReady: (deployment: DeploymentId) => boolean;
  /** The deployment index is complete and up to date: what it does not hold does not exist. */
  readonly isCurrent: () => boolean;
}

/** Joins the two feeds: finds what a path names, for the one who calls. */
export class DeploymentResolver {
  constructor(
    private readonly keys: KeyIndex,
    private readonly deployments: DeploymentIndex,
    private readonly truth: DeploymentTruth,
  ) {}

  /**
   * @throws ServiceError `model_not_found`, with one wording for what is not there, not the caller's, and not open to its
   *   key; `deployment_stopped`; `deployment_unavailable` while it cannot answer, or while nobody can tell what exists.
   */
  resolve(name: DeploymentName, caller: Caller): ResolvedDeployment {
    const facts = this.#find(name, caller);
    if (!facts || !isOpenTo(caller, facts)) throw this.truth.isCurrent() ? notFound() : notKnownYet();
    this.#checkState(facts);
    const slug = deploymentSlug(facts.id);
    const alias = 'alias' in name ? name.alias : undefined;
    return { facts, slug, alias, isNamed: (model) => model === slug || model === alias || this.#isAlias(model, facts, caller) };
  }

  #find(name: DeploymentName, caller: Caller): DeploymentFacts | undefined {
    if ('deployment' in name) {
      const id = parseDeploymentSlug(name.deployment);
      return id === null ? undefined : this.deployments.deployment(id);
    }
    if (!AccountSlug.safeParse(name.account).success || !AliasName.safeParse(name.alias).success) return undefined;
    const account = this.keys.accountBySlug(name.account);
    const alias = account && this.deployments.alias(account.id, name.alias);
    // A foreign account's alias is not even looked through, so that both answers take the same way.
    return alias?.account === caller.account.id ? this.deployments.deployment(alias.deployment) : undefined;
  }

  #checkState(facts: DeploymentFacts): void {
    if (facts.desired === 'stopped') {
      throw new ServiceError(
        'deployment_stopped',
        'This deployment is stopped. Resume it in the dashboard or through the MCP server, then send the request again.',
      );
    }
    const serves = facts.state === 'ready' || facts.state === 'degraded' || this.truth.isReady(facts.id);
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

const notKnownYet = (): ServiceError =>
  new ServiceError('deployment_unavailable', 'Deployments cannot be looked up right now; try again soon.', { retryAfterS: 2 });

const notFound = (): ServiceError =>
  new ServiceError('model_not_found', 'There is no such deployment, or this API key has no access to it.');
