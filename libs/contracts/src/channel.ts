import type { z } from 'zod';
import type { ErrorCode } from './errors.js';
import { SUBJECT_TOKEN } from './ids.js';

/**
 * The roles of processes on NATS. `ops` is the command line and the launcher; `boot` creates the streams. On servers with
 * signing keys each process of a worker is a NATS user of its own, `agent` or `runner`, which it requests as `join`. On servers
 * without signing keys all of them share the user `worker`.
 */
export const ROLES = [
  'gateway',
  'worker',
  'keys',
  'deployments',
  'console',
  'ops',
  'boot',
  'join',
  'agent',
  'runner',
  'tuning',
  'trainer',
] as const;
/** A role on NATS: one user, or one kind of user. */
export type Role = (typeof ROLES)[number];

/** Roles whose NATS users are named for their process. Their permissions contain `{{name()}}`. */
export const NAMED_ROLES = ['agent', 'runner'] as const satisfies readonly Role[];

/** Roles of a server with signing keys: all but `worker`. */
export type ScopedRole = Exclude<Role, 'worker'>;
/** Every role of a server with signing keys. */
export const SCOPED_ROLES: readonly ScopedRole[] = ROLES.filter((role) => role !== 'worker');

/** Roles of a server with passwords. */
export type PlainRole = Exclude<Role, 'agent' | 'runner' | 'join'>;
/** Every role of a server with passwords. */
export const PLAIN_ROLES: readonly PlainRole[] = ROLES.filter((role) => role !== 'agent' && role !== 'runner' && role !== 'join');

/** A subject with its version; `{env}` and other `{name}` tokens are filled in by `subjectOf`. */
export type SubjectTemplate = `${string}.{env}.v${number}.${string}`;

type TokenNames<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | TokenNames<Rest> : never;

/** Values for the `{name}` tokens of a subject, `env` included. */
export type SubjectTokens<S extends string> = Record<TokenNames<S>, string | number>;

/** A message without a reply: its subject, publishers, subscribers and schema. */
export interface EventContract<S extends SubjectTemplate = SubjectTemplate, M extends z.ZodType = z.ZodType> {
  readonly kind: 'event';
  readonly subject: S;
  readonly publishers: readonly Role[];
  readonly subscribers: readonly Role[];
  readonly message: M;
}

/** Header of a call: the token that proves on whose behalf it is made. Never in a payload, log or reply. */
export const PROOF_HEADER = 'Slipway-Proof';

/**
 * What a call must prove besides the caller's role. `ops` needs no proof.
 *
 * `viewer`, `member`, `owner`: a person with at least this role in the request's `account`. `self`: the person of its `user`.
 * `session`: its `session`. `key`: its `key`, an MCP key. `carried`: nothing more, because the request
 * itself contains the proof (a password, a link, a key). `role`: nothing more, because every process of these roles may know it.
 */
export type Proof = 'viewer' | 'member' | 'owner' | 'self' | 'session' | 'key' | 'carried' | 'role';

/** A request with one reply, served by the owner's replicas in one queue group. */
export interface RpcContract<
  S extends SubjectTemplate = SubjectTemplate,
  Q extends z.ZodType = z.ZodType,
  A extends z.ZodType = z.ZodType,
> {
  readonly kind: 'rpc';
  readonly subject: S;
  readonly owner: Role;
  readonly callers: readonly Role[];
  /** Absent = the caller's role suffices. Always present where the console calls. */
  readonly proof?: Proof;
  /** True where an account's MCP key is accepted as proof, within its scope. Absent = people only. */
  readonly agents?: boolean;
  /** Services that call without a proof, on behalf of the actor whom they name: they verified that actor themselves. Absent = none. */
  readonly trusted?: readonly Role[];
  /** True for a call of members or owners that changes nothing: members of a suspended account may still make it. */
  readonly reads?: boolean;
  readonly queue: string;
  readonly request: Q;
  readonly reply: A;
  /** Every error a caller must expect besides `invalid_request`, `unavailable` and `internal`. */
  readonly errors: readonly ErrorCode[];
  readonly timeoutMs: number;
  /** Subject under which its messages are recorded; absent = its own. See `defineProcessRpc`. */
  readonly recordedAs?: string;
}

/** An event or an RPC. */
export type Contract = EventContract | RpcContract;

/** Declares an event: subject, schema and permissions in one value. */
export const defineEvent = <const S extends SubjectTemplate, M extends z.ZodType>(
  event: Omit<EventContract<S, M>, 'kind'>,
): EventContract<S, M> => Object.freeze({ kind: 'event', ...event });

/** Declares an RPC: subject, queue, schemas, errors, deadline and permissions in one value. */
export const defineRpc = <const S extends SubjectTemplate, Q extends z.ZodType, A extends z.ZodType>(
  rpc: Omit<RpcContract<S, Q, A>, 'kind'>,
): RpcContract<S, Q, A> => Object.freeze({ kind: 'rpc', ...rpc });

/**
 * Declares an RPC that every process of these roles answers for itself: one contract for each role, by role. In its subject `{role}`
 * is the role, and `{wk}` the process.
 */
export function defineProcessRpc<const R extends Role, Q extends z.ZodType, A extends z.ZodType>(
  roles: readonly R[],
  rpc: Omit<RpcContract<SubjectTemplate, Q, A>, 'kind' | 'owner' | 'queue' | 'recordedAs'>,
): Readonly<Record<R, RpcContract<SubjectTemplate, Q, A>>> {
  const contractOf = (role: R): RpcContract<SubjectTemplate, Q, A> =>
    defineRpc({
      ...rpc,
      subject: rpc.subject.replace('{role}', role) as SubjectTemplate,
      recordedAs: rpc.subject,
      owner: role,
      queue: role,
    });
  return Object.fromEntries(roles.map((role) => [role, contractOf(role)])) as Record<R, RpcContract<SubjectTemplate, Q, A>>;
}

/**
 * Fills a subject's tokens.
 * @throws TypeError when a value could be read as more than one token, or a token is missing.
 */
export function subjectOf<S extends SubjectTemplate>(contract: { readonly subject: S }, tokens: SubjectTokens<S>): string {
  const [first = '', ...rest] = piecesOf(contract.subject);
  let subject = first;
  for (let i = 0; i < rest.length; i += 2) {
    const name = rest[i] ?? '';
    const value = String((tokens as Record<string, string | number | undefined>)[name] ?? '');
    if (!SUBJECT_TOKEN.test(value)) throw new TypeError(`The subject token "${name}" is not a valid token.`);
    subject += value + (rest[i + 1] ?? '');
  }
  return subject;
}

/** Subject and callers of an RPC. */
export type Call = Pick<RpcContract, 'subject' | 'callers'>;

/** The subject on which `caller` calls an RPC. NATS lets each role publish only under its own name, so the subject proves the caller. */
export const callSubjectOf = <S extends SubjectTemplate>(call: { readonly subject: S }, tokens: SubjectTokens<S>, caller: Role): string =>
  `${subjectOf(call, tokens)}.${caller}`;

/**
 * The subjects on which the owner of an RPC listens; `subject` may contain wildcards. An RPC with one caller also listens on
 * the bare subject, for callers of release 0.1; the next release drops it.
 */
export const servedSubjectsOf = ({ callers }: Pick<Call, 'callers'>, subject: string): string[] =>
  callers.length === 1 ? [`${subject}.*`, subject] : [`${subject}.*`];

/** The role that called on `subject`, one of `servedSubjectsOf`; null for a role that may not call. */
export function callerOf({ subject: template, callers }: Call, subject: string): Role | null {
  const tokens = subject.split('.');
  if (tokens.length === template.split('.').length) return callers.length === 1 ? (callers[0] ?? null) : null;
  return callers.find((role) => role === tokens.at(-1)) ?? null;
}

/** Split templates: text, token name, text, … Cached, because subjects are made for every request. */
const pieces = new Map<string, readonly string[]>();

function piecesOf(template: string): readonly string[] {
  let known = pieces.get(template);
  if (!known) pieces.set(template, (known = template.split(/\{(\w+)\}/)));
  return known;
}

/** The subject with some tokens filled in and `*` for all others: for subscriptions and permissions. */
export function wildcardOf(contract: { readonly subject: string }, tokens: Record<string, string | number> & { env: string }): string {
  return contract.subject.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = tokens[name];
    if (value === undefined) return '*';
    if (!SUBJECT_TOKEN.test(String(value))) throw new TypeError(`The subject token "${name}" is not a valid token.`);
    return String(value);
  });
}
