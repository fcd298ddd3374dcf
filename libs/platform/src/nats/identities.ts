import { randomBytes } from 'node:crypto';
import { permissionsOf, type Role, SCOPED_ROLES, type ScopedRole } from '@slipway/contracts';
import { nkeys } from '@nats-io/transport-node';
import { Nkey } from './nkey.js';

/** Seeds of one environment: its account, and one signing key per role. */
export interface EnvironmentSeeds {
  readonly account: string;
  readonly scopes: Readonly<Record<ScopedRole, string>>;
}

/** Seeds of a server's operator and of its system account. The operator's seed can create everything else. */
export interface OperatorSeeds {
  readonly operator: string;
  readonly system: string;
}

/** Seeds for nats.conf and the credentials of all roles. Secret. */
export type NatsSeeds = OperatorSeeds & EnvironmentSeeds;

/** Key pair of one user. The seed never leaves the process that made it. */
export interface UserKey {
  readonly public: string;
  readonly seed: string;
}

/** A user to create with a signing key. */
export interface UserClaim {
  /** Value of `{{name()}}` in the permissions of the scope. */
  readonly name: string;
  /** Public key of the user. */
  readonly key: string;
  /** Milliseconds since the epoch; absent = valid while the server knows the signing key. */
  readonly expiresAt?: number | undefined;
}

const decoder = new TextDecoder();
const UNLIMITED = -1;
const SECOND_MS = 1_000;

const seedOf = (pair: ReturnType<typeof nkeys.createUser>): string => decoder.decode(pair.getSeed());
const base64url = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url');

/** Keys of the operator, of accounts and of roles, by seed; a process has only a few. */
const signers = new Map<string, Nkey>();

function signerOf(seed: string): Nkey {
  const signer = signers.get(seed) ?? new Nkey(seed);
  signers.set(seed, signer);
  return signer;
}

const publicKeyOf = (seed: string): string => signerOf(seed).public;

/** Makes a key pair for a user. */
export function newUserKey(): UserKey {
  const seed = seedOf(nkeys.createUser());
  return { public: new Nkey(seed).public, seed };
}

/** Completes seeds: all of them at first, later those of new roles. */
export function completeSeeds(
  known: Partial<Omit<NatsSeeds, 'scopes'>> & { readonly scopes?: Readonly<Record<string, string>> } = {},
): NatsSeeds {
  const account = (): string => seedOf(nkeys.createAccount());
  return {
    operator: known.operator ?? seedOf(nkeys.createOperator()),
    system: known.system ?? account(),
    account: known.account ?? account(),
    scopes: Object.fromEntries(SCOPED_ROLES.map((role) => [role, known.scopes?.[role] ?? account()])) as Record<ScopedRole, string>,
  };
}

interface Claims {
  /** Issue time and id of the JWT; absent = now, and a random id. */
  readonly iat?: number;
  readonly jti?: string;
  readonly sub: string;
  readonly name: string;
  readonly exp?: number;
  readonly nats: object;
}

/** 2026-01-01, in seconds. */
const LONG_AGO = 1_767_225_600;
/**
 * Fixed issue time, so that the same nats.conf is always the same text. A server refuses to reload its configuration when the
 * operator's claim has changed, and closes the connections of an account whose claim has changed.
 */
const UNDATED = { iat: LONG_AGO, jti: 'nats.conf' };

/** A JWT for nats-server: signed with Ed25519 by an nkey, whose public key is the issuer. */
function sign(claims: Claims, seed: string): string {
  const signer = signerOf(seed);
  const head = base64url(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));
  const iat = Math.floor(Date.now() / SECOND_MS);
  const body = base64url(JSON.stringify({ jti: base64url(randomBytes(16)), iat, iss: signer.public, ...claims }));
  return `${head}.${body}.${signer.sign(`${head}.${body}`)}`;
}

/** The operator's claim, for `operator` in nats.conf. */
export function operatorJwt({ operator, system }: OperatorSeeds): string {
  const nats = { type: 'operator', version: 2, system_account: publicKeyOf(system) };
  return sign({ ...UNDATED, sub: publicKeyOf(operator), name: 'slipway', nats }, operator);
}

function scopeOf(role: ScopedRole, env: string, seed: string): object {
  const { publish, subscribe, neverPublish = [] } = permissionsOf(role, env);
  const pub = { allow: publish, ...(neverPublish.length > 0 && { deny: neverPublish }) };
  const template = { pub, sub: { allow: subscribe }, subs: UNLIMITED, data: UNLIMITED, payload: UNLIMITED };
  return { kind: 'user_scope', key: publicKeyOf(seed), role, template };
}

const LIMITS = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: 0 };
const JETSTREAM = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

/** An account's entry in `resolver_preload`: its public key, and its claim with the permissions of every role. */
export function environmentAccount(env: string, { account, scopes }: EnvironmentSeeds, operator: string): readonly [string, string] {
  const signing = SCOPED_ROLES.map((role) => scopeOf(role, env, scopes[role]));
  const nats = { type: 'account', version: 2, limits: { ...LIMITS, ...JETSTREAM }, signing_keys: signing, default_permissions: {} };
  const key = publicKeyOf(account);
  return [key, sign({ ...UNDATED, sub: key, name: env.toUpperCase(), nats }, operator)];
}

/** The system account, which has no users. */
export function systemAccount({ operator, system }: OperatorSeeds): readonly [string, string] {
  const key = publicKeyOf(system);
  const nats = { type: 'account', version: 2, limits: LIMITS, default_permissions: {} };
  return [key, sign({ ...UNDATED, sub: key, name: 'SYS', nats }, operator)];
}

/** Makes the JWT of a user with the permissions of a scope. Not secret: it is useless without the user's seed. */
export function userJwt({ name, key, expiresAt }: UserClaim, scope: { readonly seed: string; readonly account: string }): string {
  const nats = { type: 'user', version: 2, issuer_account: scope.account };
  const exp = expiresAt === undefined ? {} : { exp: Math.floor(expiresAt / SECOND_MS) };
  return sign({ sub: key, name, ...exp, nats }, scope.seed);
}

/** Makes a NATS credentials file for a role: a new user without expiry. */
export function roleCredentials(role: ScopedRole & Role, { account, scopes }: EnvironmentSeeds): string {
  const user = newUserKey();
  const jwt = userJwt({ name: role, key: user.public }, { seed: scopes[role], account: publicKeyOf(account) });
  return `-----BEGIN NATS USER JWT-----
${jwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${user.seed}
------END USER NKEY SEED------
`;
}

/** Content of `signing.json`, with which keys-service creates the users of workers. */
export const workerSigning = ({ account, scopes }: EnvironmentSeeds): string =>
  JSON.stringify({ account: publicKeyOf(account), agent: scopes.agent, runner: scopes.runner });
