import { type Contract, ROLES, type Role, servedSubjectsOf, wildcardOf } from './channel.js';
import { CONTRACTS } from './contracts.js';
import { WORK_STREAMS } from './usage/usage-stream.js';
import { workStreamPermissions } from './work-stream.js';

/** What one NATS user may do; subscriptions in a queue group are written `subject queue`. */
export interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Private inbox of a role: no other role may read the answers to its questions. */
export const inboxPrefix = (role: Role): string => `_INBOX_${role}`;

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
  const answers = callersOf(role).map((caller) => `${inboxPrefix(caller)}.>`);
  return {
    publish: [...publish, ...answers, ...work, ...jetStreamApi],
    subscribe: [...CONTRACTS.flatMap((c) => subscription(role, c, env)), `${inboxPrefix(role)}.>`],
  };
}
