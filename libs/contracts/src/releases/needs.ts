import type { Role } from '../channel.js';

/** Processes of one role need what another role offers since a level. */
export interface Need {
  readonly of: Role;
  readonly from: Role;
  /** At least 1; each need for something newer of the same role has a higher one. */
  readonly level: number;
  /** Completes "needs it, because …", for /readyz and operators. */
  readonly because: string;
}

/**
 * What has to be updated before what. A process that finds an older one behind a row is not ready, so that a rollout stops. A
 * change that older peers live with needs no row: releases between two rows mix freely, in any order.
 */
export const NEEDS: readonly Need[] = [
  { of: 'gateway', from: 'keys', level: 1, because: 'older ones do not read what gateways gather of usage' },
  { of: 'console', from: 'keys', level: 1, because: 'older ones do not answer what pages ask' },
  { of: 'tuning', from: 'keys', level: 1, because: 'older ones open no keys for evaluations' },
  { of: 'trainer', from: 'tuning', level: 1, because: 'older ones do not read what training workers report' },
];

/** What processes of a role offer in this release: the highest level that a row wants of them, 0 where none does. */
export const levelOf = (role: Role): number => Math.max(0, ...NEEDS.filter(({ from }) => from === role).map(({ level }) => level));

/** The needs of a role. An agent has those of a worker. */
export const needsOf = (role: Role): readonly Need[] => NEEDS.filter((need) => need.of === (role === 'agent' ? 'worker' : role));

const PROCESS_NAMES: Partial<Record<Role, string>> = {
  keys: 'keys-service',
  deployments: 'deployments-service',
  tuning: 'tuning-service',
  worker: 'inference-worker',
  agent: 'inference-worker',
  trainer: 'training-worker',
};

/** How people call the processes of a role, such as `keys-service`. */
export const processNameOf = (role: Role): string => PROCESS_NAMES[role] ?? role;
