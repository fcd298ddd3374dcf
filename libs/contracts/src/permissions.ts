import { type Contract, NAMED_ROLES, ROLES, type Role, type RpcContract, servedSubjectsOf, wildcardOf } from './channel.js';
import { CONTRACTS } from './contracts.js';
import { VALUE_STORES } from './inference/response-store.js';
import { WORK_STREAMS } from './usage/usage-record.js';
import { valueStorePermissions } from './value-store.js';
import { workStreamPermissions } from './work-stream.js';

/** Permissions of one NATS user. Subscriptions in a queue group are written `subject queue`. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Subjects denied although `publish` matches them. */
  readonly neverPublish?: readonly string[];
}

/** In permissions of named roles, nats-server replaces this by the name of the connecting user. */
const OWN_NAME = '{{name()}}';
const isNamed = (role: Role): boolean => NAMED_ROLES.some((named) => named === role);

/** A contract's subject as this role may use it: a named role only with its own name, any other role with any name. */
const subjectFor = (role: Role, { subject }: { readonly subject: string }, env: string): string =>
  wildcardOf({ subject: isNamed(role) ? subject.replace('{wk}', OWN_NAME) : subject }, { env });

/** An RPC of the role `worker` is served by agents. */
const serves = (role: Role, { owner }: Pick<RpcContract, 'owner'>): boolean => owner === role || (role === 'agent' && owner === 'worker');

/**
 * Private inbox of a role: no other role may read its replies. After the prefix follow the connection's token, who may answer
 * (`answererOf`), and the random token of one request.
 */
export const inboxPrefix = (role: Role): string => `_INBOX_${role}`;

/**
 * Who may answer an RPC, as tokens of the reply subject: the owner's role, and the process where the request subject names one.
 * Permissions to publish replies contain it, so that a role can answer only its own requests.
 */
export function answererOf(
  { owner, subject }: Pick<RpcContract, 'owner' | 'subject'>,
  tokens: Readonly<Record<string, string>> = {},
): string {
  const wk = subject.includes('{wk}') ? tokens['wk'] : undefined;
  return wk === undefined ? owner : `${owner}.${wk}`;
}

/** Subjects on which this role publishes replies: each caller's inbox, under its own name. */
function answers(role: Role): string[] {
  const served = CONTRACTS.filter((c): c is RpcContract => c.kind === 'rpc' && serves(role, c));
  const callers = ROLES.filter((caller) => served.some((c) => c.callers.includes(caller)));
  const self = isNamed(role) ? `worker.${OWN_NAME}` : role;
  return callers.map((caller) => `${inboxPrefix(caller)}.*.${self}.>`);
}

function publication(role: Role, contract: Contract, env: string): string[] {
  const senders = contract.kind === 'event' ? contract.publishers : contract.callers;
  if (!senders.includes(role)) return [];
  // Where a subject names the role of its sender, each role has its own.
  const subject = subjectFor(role, { subject: contract.subject.replace('{role}', role) }, env);
  if (contract.kind === 'event') return [subject];
  return servedSubjectsOf(contract, subject).map((served) => (served === subject ? subject : `${subject}.${role}`));
}

function subscription(role: Role, contract: Contract, env: string): string[] {
  const receives = contract.kind === 'event' ? contract.subscribers.includes(role) : serves(role, contract);
  if (!receives) return [];
  const subject = subjectFor(role, contract, env);
  if (contract.kind === 'event') return [subject];
  // nats-server does not expand names in entries with a queue group. A named process is alone on its subject, so it needs none.
  return servedSubjectsOf(contract, subject).map((served) => (isNamed(role) ? served : `${served} ${contract.queue}`));
}

/** The permissions of a role in an environment, derived from the contracts alone. */
export function permissionsOf(role: Role, env: string): Permissions {
  const jetStreamApi = role === 'boot' ? ['$JS.API.>'] : [];
  const publish = CONTRACTS.flatMap((c) => publication(role, c, env));
  const work = WORK_STREAMS.filter(({ worker }) => worker === role).flatMap((stream) => workStreamPermissions(stream, env));
  const values = VALUE_STORES.filter((store) => store.role === role).flatMap((store) => valueStorePermissions(store, env));
  const inbox = isNamed(role) ? `${inboxPrefix(role)}.${OWN_NAME}.>` : `${inboxPrefix(role)}.>`;
  return {
    publish: [...publish, ...answers(role), ...work, ...values, ...jetStreamApi],
    subscribe: [...CONTRACTS.flatMap((c) => subscription(role, c, env)), inbox],
    // Heartbeats of deployment 0 are those of agents.
    ...(role === 'runner' && { neverPublish: [`inf.${env}.v1.hb.0.>`] }),
  };
}
