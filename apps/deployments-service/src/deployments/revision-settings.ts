import { Injectable } from '@nestjs/common';
import {
  type AuditEntry,
  type DeployedAdapter,
  downloadOf,
  engineKindOf,
  type ModelSource,
  type ServedAdapter,
  serverOf,
  ServiceError,
  type UpdateDeployment,
} from '@slipway/contracts';
import { type SecretVault, UnreadableSecretError } from '@slipway/platform';
import type { z } from 'zod';
import { SettingsPolicy } from './settings-policy.js';

/** Seals engine credentials for storage. A sealed credential opens for the account that it was sealed for. */
export class CredentialVault {
  constructor(private readonly vault: SecretVault) {}

  seal(credential: string, account: number): string {
    return this.vault.seal(credential, boundTo(account));
  }

  /** @throws UnreadableSecretError when the text was changed, or sealed with another key or for another account */
  open(sealedText: string, account: number): string {
    return this.vault.open(sealedText, boundTo(account));
  }
}

const boundTo = (account: number): string => `account:${account}`;

/** Groups: address, query. */
const QUERIED = /^(https?:\/\/[^?#]*)(\?[^#]*)/i;

/**
 * Splits a source into a public part and a secret: the query of a download address with its question mark, where signed
 * addresses carry their tokens. The secret is null when there is no query.
 */
function withoutSecret(source: ModelSource): { readonly source: ModelSource; readonly secret: string | null } {
  const [, address, query] = QUERIED.exec(downloadOf(source) ?? '') ?? [];
  if (address === undefined || query === undefined) return { source, secret: null };
  return { source: { ...source, uri: address } as ModelSource, secret: query };
}

/** The source without a query, as members of the account may see it. Sources stored before queries were sealed have one. */
export const publicSource = (source: ModelSource): ModelSource => withoutSecret(source).source;

/** Settings of one revision. */
export interface RevisionSettings {
  readonly source: ModelSource;
  /** The adapter on the source; null = the model as it is. */
  readonly adapter: ServedAdapter | null;
  /** Sealed by `CredentialVault`; null when there is none. */
  readonly credential: string | null;
  readonly context: number | null;
  readonly slots: number;
  readonly threads: number | null;
  readonly defaultMaxTokens: number | null;
}

/** The columns of a revision that hold its settings. */
type SettingsColumns = Omit<RevisionSettings, 'adapter'> & {
  readonly adapter: Omit<ServedAdapter, 'witness'> | null;
  readonly witness: ServedAdapter['witness'] | null;
};

/** The columns in which settings are stored. */
export function settingsColumns({ adapter: whole, ...settings }: RevisionSettings): SettingsColumns {
  const { witness = null, ...adapter } = whole ?? {};
  return { ...settings, adapter: whole && (adapter as SettingsColumns['adapter']), witness };
}

/** The settings that were stored in the columns. */
export function settingsOf(columns: SettingsColumns): RevisionSettings {
  const { source, adapter, witness, credential, context, slots, threads, defaultMaxTokens } = columns;
  return { source, adapter: adapter && { ...adapter, witness: witness ?? [] }, credential, context, slots, threads, defaultMaxTokens };
}

/** What lists show of a stored adapter. */
export const deployedAdapter = (stored: DeployedAdapter | null): DeployedAdapter | null =>
  stored && { id: stored.id, name: stored.name, version: stored.version, sha256: stored.sha256 };

type Changes = Pick<
  z.output<typeof UpdateDeployment.request>,
  'account' | 'source' | 'credential' | 'context' | 'slots' | 'threads' | 'default_max_tokens'
> & {
  /** Absent = that of the revision before. */
  readonly adapter?: ServedAdapter | null | undefined;
};

/** Characters that an HTTP header carries unchanged. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

const invalid = (message: string): ServiceError => new ServiceError('invalid_request', message, { param: 'credential' });

/** Composes the settings of revisions from owners' requests. */
@Injectable()
export class SettingsComposer {
  constructor(
    private readonly vault: CredentialVault,
    private readonly policy: SettingsPolicy,
  ) {}

  /**
   * Settings of a deployment's first revision.
   * @throws ServiceError `invalid_request` for a credential that is no header value or that the source cannot use, and for
   *   settings above the operator's bounds
   */
  first(request: Changes & { readonly source: ModelSource }): RevisionSettings {
    const { slots, account, credential } = request;
    const { source, secret } = withoutSecret(request.source);
    const first = {
      source,
      adapter: request.adapter ?? null,
      credential: this.#seal(credential ?? null, source, account) ?? this.#sealQuery(secret, account, null),
      context: request.context ?? null,
      slots: slots ?? this.policy.defaultSlots(source),
      threads: request.threads ?? null,
      defaultMaxTokens: request.default_max_tokens ?? null,
    };
    this.policy.check(first);
    return first;
  }

  /**
   * Settings of the next revision: an absent field keeps the value of `base`, null resets it to the default.
   * @throws ServiceError as `first`, and for another source below an adapter that stays
   */
  next(base: RevisionSettings, request: Changes): RevisionSettings {
    const { source, secret } = withoutSecret(request.source ?? base.source);
    const isLike = engineKindOf(source) === engineKindOf(base.source);
    const adapter = requestedOr(request.adapter, base.adapter);
    if (request.adapter === undefined) assertStaysOnBase(base, source);
    const next = {
      source,
      adapter,
      credential: this.#nextCredential(base, request, source, secret),
      context: requestedOr(request.context, base.context),
      slots: requestedOr(request.slots, isLike ? base.slots : null) ?? this.policy.defaultSlots(source),
      threads: requestedOr(request.threads, base.threads),
      defaultMaxTokens: requestedOr(request.default_max_tokens, base.defaultMaxTokens),
    };
    this.policy.check(next, base);
    return next;
  }

  #nextCredential(base: RevisionSettings, request: Changes, source: ModelSource, query: string | null): string | null {
    const given = request.credential === undefined ? null : this.#seal(request.credential, source, request.account);
    const kept = request.credential === undefined ? keptCredential(base, request.source) : null;
    return given ?? this.#sealQuery(query, request.account, base.credential) ?? kept;
  }

  /** Seals a query, or keeps the sealed text when the query did not change. */
  #sealQuery(query: string | null, account: number, before: string | null): string | null {
    if (query === null) return null;
    return before !== null && this.#opened(before, account) === query ? before : this.vault.seal(query, account);
  }

  /** Null when the text cannot be opened with the present keys. */
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
    if (serverOf(source) === null) throw invalid('Only HTTP engines take a credential.');
    if (!HEADER_SAFE.test(credential)) throw invalid('A credential must be printable ASCII without spaces.');
    return this.vault.seal(credential, account);
  }
}

/** True when both run the same. A credential that was given again counts as a change. */
export const isSame = (one: RevisionSettings, other: RevisionSettings): boolean => fingerprintOf(one) === fingerprintOf(other);

const fingerprintOf = ({ source, adapter, credential, context, slots, threads, defaultMaxTokens }: RevisionSettings): string =>
  JSON.stringify([sorted(source), adapter?.id, adapter?.sha256, credential, context, slots, threads, defaultMaxTokens]);

function assertStaysOnBase({ source: before, adapter }: RevisionSettings, source: ModelSource): void {
  if (adapter === null || JSON.stringify(sorted(source)) === JSON.stringify(sorted(before))) return;
  // Another engine may have the same base: its replicas prove it.
  if (serverOf(before) && serverOf(source)) return;
  const message = `This deployment serves ${adapterText(adapter)}, which runs on its own base: name another adapter, or null for none.`;
  throw new ServiceError('invalid_request', message, { param: 'adapter' });
}

const adapterText = (adapter: ServedAdapter | null): string => (adapter === null ? 'none' : `${adapter.name}@${adapter.version}`);

/** The same value with its fields sorted by name, since the database returns them in another order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, sorted(field)]);
}

/** The requested value of a setting; undefined keeps the value before. */
const requestedOr = <T>(requested: T | undefined, before: T): T => (requested === undefined ? before : requested);

/** The credential of `base` where it still applies: the source is unchanged, or names the same server as before. */
function keptCredential(base: RevisionSettings, source: ModelSource | undefined): string | null {
  if (source === undefined) return base.credential;
  const [next, before] = [serverOf(source), serverOf(base.source)];
  return next && before && new URL(next.url).origin === new URL(before.url).origin ? base.credential : null;
}

/** A source in one line, without queries of addresses and values of engine options, which may be secret. */
function sourceText(source: ModelSource): string {
  const { kind, engine, ...fields } = source;
  const words = Object.values(fields).filter((value) => typeof value === 'string');
  const chosen = engine ? ['by', engine.kind, ...Object.keys(engine.options ?? {})] : [];
  return [kind, ...words.map((word) => word.split('?')[0] ?? ''), ...chosen].join(' ');
}

const text = (value: number | null): string => (value === null ? 'default' : String(value));

/** The changes of an update for the audit log, each field as "before → after". A credential is only said to have changed. */
export function settingsChanges(before: RevisionSettings, after: RevisionSettings): AuditEntry['facts'] {
  const pairs: readonly (readonly [string, string, string])[] = [
    ['source', sourceText(before.source), sourceText(after.source)],
    ['adapter', adapterText(before.adapter), adapterText(after.adapter)],
    ['context', text(before.context), text(after.context)],
    ['slots', text(before.slots), text(after.slots)],
    ['threads', text(before.threads), text(after.threads)],
    ['default_max_tokens', text(before.defaultMaxTokens), text(after.defaultMaxTokens)],
  ];
  const changed = pairs.filter(([, was, is]) => was !== is).map(([name, was, is]) => [name, `${was} → ${is}`] as const);
  const options = [before, after].map(({ source }) => JSON.stringify(source.engine?.options ?? {}));
  return {
    ...Object.fromEntries(changed),
    ...(options[0] !== options[1] && { engine_options: 'changed' }),
    ...(before.credential !== after.credential && { credential: 'changed' }),
  };
}
