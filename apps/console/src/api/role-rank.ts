import type { MemberRole } from '@slipway/contracts';

const RANKS: Readonly<Record<MemberRole, number>> = { viewer: 0, member: 1, owner: 2 };

/** Whether a role includes what another one may do. */
export const includes = (role: MemberRole, least: MemberRole): boolean => RANKS[role] >= RANKS[least];
