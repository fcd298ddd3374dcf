import { Injectable } from '@nestjs/common';
import { engineKindOf, type ModelSource, serverOf, ServiceError, type UpdateDeployment } from '@slipway/contracts';
import { UnreadableSecretError } from '@slipway/platform';
import type { z } from 'zod';
import { CredentialVault } from './credential-vault.js';
import { DeploymentDefaults } from './deployment-defaults.js';
import { SettingBounds } from './setting-bounds.js';
import { withoutSecret } from './source-secret.js';

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
@Injectable()
export class SettingsComposer {
  constructor(
    private readonly vault: CredentialVault,
    private readonly defaults: DeploymentDefaults,
    private readonly bounds: SettingBounds,
  ) {}

  /**
   * @throws ServiceError `invalid_request` for a credential that cannot be sent, or that nothing would be sent to, and for
   *   settings beyond the operator's bounds.
   */
  first(request: Changes & { readonly source: ModelSource }): RevisionSettings {
    const { slots, account, credential } = request;
    const { source, secret } = withoutSecret(request.source);
    const first = {
      source,
      credential: this.#seal(credential ?? null, source, account) ?? this.#sealQuery(secret, account, null),
      context: request.context ?? null,
      slots: slots ?? this.defaults.slots(source),
      threads: request.threads ?? null,
      defaultMaxTokens: request.default_max_tokens ?? null,
    };
    this.bounds.check(first);
    return first;
  }

  /**
   * Settings of the next revision: what the request does not name stays, null is the default.
   * @throws like `first`.
   */
  next(base: RevisionSettings, request: Changes): RevisionSettings {
    const { source, secret } = withoutSecret(request.source ?? base.source);
    const isLike = engineKindOf(source) === engineKindOf(base.source);
    const next = {
      source,
      credential: this.#nextCredential(base, request, source, secret),
      context: named(request.context, base.context),
      slots: named(request.slots, isLike ? base.slots : null) ?? this.defaults.slots(source),
      threads: named(request.threads, base.threads),
      defaultMaxTokens: named(request.default_max_tokens, base.defaultMaxTokens),
    };
    this.bounds.check(next, base);
    return next;
  }

  #nextCredential(base: RevisionSettings, request: Changes, source: ModelSource, query: string | null): string | null {
    const given = request.credential === undefined ? null : this.#seal(request.credential, source, request.account);
    const kept = request.credential === undefined ? keptCredential(base, request.source) : null;
    return given ?? this.#sealQuery(query, request.account, base.credential) ?? kept;
  }

  /** The same query again is no change. */
  #sealQuery(query: string | null, account: number, before: string | null): string | null {
    if (query === null) return null;
    return before !== null && this.#opened(before, account) === query ? before : this.vault.seal(query, account);
  }

  /** Null for what cannot be opened any more. */
  #opened(sealed: string, account: number): string | null {
    try {
      return this.vault.open(sealed, account);
    } catch (error) {
      if (error instanceof UnreadableSecretError) return null;
      throw error;
    }
  }

  #seal(credential: string | null, source: ModelSource, account: number): string | null {
    if (credential === null) return null;
    if (serverOf(source) === null) throw wrong('Only HTTP engines take a credential.');
    if (!HEADER_SAFE.test(credential)) throw wrong('A credential is printable ASCII without blanks.');
    return this.vault.seal(credential, account);
  }
}

/** True when both would run the same. A credential that was named again counts as another one. */
export const isSame = (one: RevisionSettings, other: RevisionSettings): boolean => fingerprintOf(one) === fingerprintOf(other);

const fingerprintOf = ({ source, credential, context, slots, threads, defaultMaxTokens }: RevisionSettings): string =>
  JSON.stringify([sorted(source), credential, context, slots, threads, defaultMaxTokens]);

/** The same value with its fields by name: the database keeps them in an order of its own. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, sorted(field)]);
}

/** What a request says of a setting; what was there where it says nothing. */
const named = <T>(wish: T | undefined, before: T): T => (wish === undefined ? before : wish);

/** A credential is for the server that its owner gave it for, and goes to no other one by itself; a query is for its address. */
function keptCredential(base: RevisionSettings, named: ModelSource | undefined): string | null {
  if (named === undefined) return base.credential;
  const [next, before] = [serverOf(named), serverOf(base.source)];
  return next && before && new URL(next.url).origin === new URL(before.url).origin ? base.credential : null;
}
