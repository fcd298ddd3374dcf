import { createPrivateKey, type KeyObject, randomBytes, sign as signWith } from 'node:crypto';
import { permissionsOf, type Role, SCOPED_ROLES, type ScopedRole } from '@slipway/contracts';
import { nkeys } from '@nats-io/transport-node';

/** Seeds of one environment: its account, and one signing key for each role whose users it may make. */
export interface EnvironmentSeeds {
  readonly account: string;
  readonly scopes: Readonly<Record<ScopedRole, string>>;
}

/** Seeds of a server's operator and of its system account. Whoever has the operator's makes everything else. */
export interface OperatorSeeds {
  readonly operator: string;
  readonly system: string;
}

/** What a nats.conf and the credentials of all roles are made from. Kept where secrets are kept. */
export type NatsSeeds = OperatorSeeds & EnvironmentSeeds;

/** Public key and seed of one user: the seed stays with the process that made it. */
export interface UserKey {
  readonly public: string;
  readonly seed: string;
}

/** One user that a signing key makes. */
export interface UserClaim {
  /** Becomes `{{name()}}` in the permissions of the scope. */
  readonly name: string;
  /** Public key of the user. */
  readonly key: string;
  /** Milliseconds since the epoch; absent = for as long as the signing key is known to the server. */
  readonly expiresAt?: number | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const UNLIMITED = -1;
const SECOND_MS = 1_000;

const pairOf = (seed: string): ReturnType<typeof nkeys.fromSeed> => nkeys.fromSeed(encoder.encode(seed));
const seedOf = (pair: ReturnType<typeof nkeys.createUser>): string => decoder.decode(pair.getSeed());
const publicKeyOf = (seed: string): string => pairOf(seed).getPublicKey();
const base64url = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url');

/** A new key pair of a user. */
export function newUserKey(): UserKey {
  const pair = nkeys.createUser();
  return { public: pair.getPublicKey(), seed: seedOf(pair) };
}

/** Seeds for what `known` lacks: all of them at first, later those of new roles. */
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
  /** When it was made, and its number; absent = now, and a random one. */
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
 * What a nats.conf holds is the same text as long as it says the same: a server refuses to read its configuration again when
 * the operator's claim is another one, and closes connections of an account whose claim is.
 */
const UNDATED = { iat: LONG_AGO, jti: 'nats.conf' };

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Where the 32 bytes of a key lie in a seed, which holds two bytes of kind before them and a checksum behind. */
const [KEY_BEGIN, KEY_END, SEED_BYTES] = [2, 34, 36];
/** What precedes those bytes in PKCS #8. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

interface Signer {
  readonly issuer: string;
  readonly key: KeyObject;
}

/** By seed. A process has a few of them, for as long as it lives. */
const signers = new Map<string, Signer>();

/** The client's own Ed25519 is plain JavaScript and takes hundreds of times as long: a question for 64 names would hold up all others. */
function signerOf(seed: string): Signer {
  const known = signers.get(seed);
  if (known) return known;
  const bits = seed.split('').reduce((sum, letter) => sum * 32n + BigInt(BASE32.indexOf(letter)), 0n);
  const bytes = Buffer.from((bits >> BigInt(seed.length * 5 - SEED_BYTES * 8)).toString(16).padStart(SEED_BYTES * 2, '0'), 'hex');
  const der = Buffer.concat([PKCS8_ED25519, bytes.subarray(KEY_BEGIN, KEY_END)]);
  const signer = { issuer: publicKeyOf(seed), key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
  signers.set(seed, signer);
  return signer;
}

/** A JWT as nats-server reads it: signed with Ed25519 by an nkey, whose public key is the issuer. */
function sign(claims: Claims, seed: string): string {
  const { issuer, key } = signerOf(seed);
  const head = base64url(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));
  const iat = Math.floor(Date.now() / SECOND_MS);
  const body = base64url(JSON.stringify({ jti: base64url(randomBytes(16)), iat, iss: issuer, ...claims }));
  return `${head}.${body}.${base64url(signWith(null, Buffer.from(`${head}.${body}`), key))}`;
}

/** The operator's own claim, for `operator` of nats.conf. */
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

/** An account as one entry of `resolver_preload`: its public key, and its claim with the permissions of every role. */
export function environmentAccount(env: string, { account, scopes }: EnvironmentSeeds, operator: string): readonly [string, string] {
  const signing = SCOPED_ROLES.map((role) => scopeOf(role, env, scopes[role]));
  const nats = { type: 'account', version: 2, limits: { ...LIMITS, ...JETSTREAM }, signing_keys: signing, default_permissions: {} };
  const key = publicKeyOf(account);
  return [key, sign({ ...UNDATED, sub: key, name: env.toUpperCase(), nats }, operator)];
}

/** The system account, which nobody has a user of. */
export function systemAccount({ operator, system }: OperatorSeeds): readonly [string, string] {
  const key = publicKeyOf(system);
  const nats = { type: 'account', version: 2, limits: LIMITS, default_permissions: {} };
  return [key, sign({ ...UNDATED, sub: key, name: 'SYS', nats }, operator)];
}

/** Makes a user with the permissions that the server knows for a scope. It is no secret: only who has the user's seed can use it. */
export function userJwt({ name, key, expiresAt }: UserClaim, scope: { readonly seed: string; readonly account: string }): string {
  const nats = { type: 'user', version: 2, issuer_account: scope.account };
  const exp = expiresAt === undefined ? {} : { exp: Math.floor(expiresAt / SECOND_MS) };
  return sign({ sub: key, name, ...exp, nats }, scope.seed);
}

/** A NATS credentials file of a role that has one name: a new user, without an expiry. */
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

/** What keys-service needs to name workers: the content of `signing.json` beside its own credentials. */
export const workerSigning = ({ account, scopes }: EnvironmentSeeds): string =>
  JSON.stringify({ account: publicKeyOf(account), agent: scopes.agent, runner: scopes.runner });
