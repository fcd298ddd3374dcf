import { type Contract, ROLES, type Role, type RpcContract, servedSubjectsOf, wildcardOf } from './channel.js';
import { CONTRACTS } from './contracts.js';
import { WORK_STREAMS } from './usage/usage-stream.js';
import { workStreamPermissions } from './work-stream.js';

/** What one NATS user may do; subscriptions in a queue group are written `subject queue`. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/**
 * Private inbox of a role: no other role may read the answers to its questions. Each connection has its own token behind it;
 * then follows who may answer (`answererOf`), and last the random token of one question.
 */
export const inboxPrefix = (role: Role): string => `_INBOX_${role}`;

/**
 * Who may answer an RPC, as tokens of the reply subject: the owner's role, and the one process that is asked where the subject
 * names it. Permissions to publish replies name it, so that a role can answer only what it was asked itself.
 */
export function answererOf(
  { owner, subject }: Pick<RpcContract, 'owner' | 'subject'>,
  tokens: Readonly<Record<string, string>> = {},
): string {
  const wk = subject.includes('{wk}') ? tokens['wk'] : undefined;
  return wk === undefined ? owner : `${owner}.${wk}`;
}

const callersOf = (owner: Role): Role[] =>
  ROLES.filter((role) => CONTRACTS.some((c) => c.kind === 'rpc' && c.owner === owner && c.callers.includes(role)));

function publication(role: Role, contract: Contract, env: string): string[] {
  const subject = wildcardOf(contract, { env });
  if (contract.kind === 'event') return contract.publishers.includes(role) ? [subject] : [];
  if (!contract.callers.includes(role)) return [];
  return servedSubjectsOf(contract, subject).map((served) => (served === subject ? subject : `${subject}.${role}`));
}

function subscription(role: Role, contract: Contract, env: string): string[] {
  const subject = wildcardOf(contract, { env });
  if (contract.kind === 'event') return contract.subscribers.includes(role) ? [subject] : [];
  return contract.owner === role ? servedSubjectsOf(contract, subject).map((served) => `${served} ${contract.queue}`) : [];
}

/** Derives what a role may publish and subscribe in an environment from the contracts alone. */
export function permissionsOf(role: Role, env: string): Permissions {
  const jetStreamApi = role === 'boot' ? ['$JS.API.>'] : [];
  const publish = CONTRACTS.flatMap((c) => publication(role, c, env));
  const work = WORK_STREAMS.filter(({ worker }) => worker === role).flatMap((stream) => workStreamPermissions(stream, env));
  const answers = callersOf(role).map((caller) => `${inboxPrefix(caller)}.*.${role}.>`);
  return {
    publish: [...publish, ...answers, ...work, ...jetStreamApi],
    subscribe: [...CONTRACTS.flatMap((c) => subscription(role, c, env)), `${inboxPrefix(role)}.>`],
  };
}
