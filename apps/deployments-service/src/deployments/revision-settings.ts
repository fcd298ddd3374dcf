import { type ModelSource, ServiceError, type UpdateDeployment } from '@slipway/contracts';
import type { z } from 'zod';
import type { CredentialVault } from './credential-vault.js';
import type { DeploymentDefaults } from './deployment-defaults.js';

/** What a revision runs. */
export interface RevisionSettings {
  readonly source: ModelSource;
  /** Sealed. */
  readonly credential: string | null;
  readonly context: number | null;
  readonly slots: number;
  readonly threads: number | null;
  readonly defaultMaxTokens: number | null;
}

type Changes = Pick<
  z.output<typeof UpdateDeployment.request>,
  'account' | 'source' | 'credential' | 'context' | 'slots' | 'threads' | 'default_max_tokens'
>;

/** What fits into an HTTP header without a change. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

const wrong = (message: string): ServiceError => new ServiceError('invalid_request', message, { param: 'credential' });

/** Makes the settings of revisions from what owners ask for. */
export class SettingsComposer {
  constructor(
    private readonly vault: CredentialVault,
    private readonly defaults: DeploymentDefaults,
  ) {}

  /** @throws ServiceError `invalid_request` for a credential that cannot be sent, or that nothing would be sent to. */
  first(request: Changes & { readonly source: ModelSource }): RevisionSettings {
    const { source, slots, account, credential } = request;
    return {
      source,
      credential: this.#seal(credential ?? null, source, account),
      context: request.context ?? null,
      slots: slots ?? this.defaults.slots(source),
      threads: request.threads ?? null,
      defaultMaxTokens: request.default_max_tokens ?? null,
    };
  }

  /**
   * Settings of the next revision: what the request does not name stays, null is the default.
   * @throws like `first`.
   */
  next(base: RevisionSettings, request: Changes): RevisionSettings {
    const source = request.source ?? base.source;
    const slots = request.slots === undefined && isHttp(source) === isHttp(base.source) ? base.slots : request.slots;
    return {
      source,
      credential: request.credential === undefined ? keptCredential(base, source) : this.#seal(request.credential, source, request.account),
      context: request.context === undefined ? base.context : request.context,
      slots: slots ?? this.defaults.slots(source),
      threads: request.threads === undefined ? base.threads : request.threads,
      defaultMaxTokens: request.default_max_tokens === undefined ? base.defaultMaxTokens : request.default_max_tokens,
    };
  }

  #seal(credential: string | null, source: ModelSource, account: number): string | null {
    if (credential === null) return null;
    if (source.kind !== 'http') throw wrong('Only HTTP engines take a credential.');
    if (!HEADER_SAFE.test(credential)) throw wrong('A credential is printable ASCII without blanks.');
    return this.vault.seal(credential, account);
  }
}

/** True when both would run the same. A credential that was named again counts as another one. */
export const isSame = (one: RevisionSettings, other: RevisionSettings): boolean => fingerprintOf(one) === fingerprintOf(other);

const fingerprintOf = ({ source, credential, context, slots, threads, defaultMaxTokens }: RevisionSettings): string =>
  JSON.stringify([Object.entries(source).toSorted(([a], [b]) => (a < b ? -1 : 1)), credential, context, slots, threads, defaultMaxTokens]);

const isHttp = ({ kind }: ModelSource): boolean => kind === 'http';

/** A credential is for the server that its owner gave it for, and goes to no other one by itself. */
function keptCredential(base: RevisionSettings, source: ModelSource): string | null {
  if (source.kind !== 'http' || base.source.kind !== 'http') return null;
  return new URL(source.url).origin === new URL(base.source.url).origin ? base.credential : null;
}
