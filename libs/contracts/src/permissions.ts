import { type Contract, ROLES, type Role, wildcardOf } from './channel.js';
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

const publishes = (role: Role, contract: Contract): boolean =>
  contract.kind === 'rpc' ? contract.callers.includes(role) : contract.publishers.includes(role);

function subscription(role: Role, contract: Contract, env: string): string[] {
  const subject = wildcardOf(contract, { env });
  if (contract.kind === 'rpc') return contract.owner === role ? [`${subject} ${contract.queue}`] : [];
  return contract.subscribers.includes(role) ? [subject] : [];
}

/** Derives what a role may publish and subscribe in an environment from the contracts alone. */
export function permissionsOf(role: Role, env: string): Permissions {
  const jetStreamApi = role === 'boot' ? ['$JS.API.>'] : [];
  const publish = CONTRACTS.filter((c) => publishes(role, c)).map((c) => wildcardOf(c, { env }));
  const work = WORK_STREAMS.filter(({ worker }) => worker === role).flatMap((stream) => workStreamPermissions(stream, env));
  const answers = callersOf(role).map((caller) => `${inboxPrefix(caller)}.>`);
  return {
    publish: [...publish, ...answers, ...work, ...jetStreamApi],
    subscribe: [...CONTRACTS.flatMap((c) => subscription(role, c, env)), `${inboxPrefix(role)}.>`],
  };
}
