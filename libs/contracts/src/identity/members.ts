import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, UserId } from '../ids.js';
import { enumOr } from '../schemas.js';
import { Actor } from './audit.js';
import { GrantedRole, MemberRole, UserState } from './people.js';

/** A member in lists. */
export const MemberView = z.object({
  user: UserId,
  email: z.string(),
  name: z.string(),
  role: GrantedRole,
  joined_at: z.iso.datetime(),
  /** Null = never. */
  last_sign_in_at: z.iso.datetime().nullable(),
  /**
   * When the person last used the console, in any account, ten minutes late at most. Null = not within the life of a session.
   * Absent from older replicas.
   */
  last_active_at: z.iso.datetime().nullable().optional(),
  /** Only in replies to operators. Absent from older replicas. */
  state: enumOr(UserState, 'suspended').optional(),
});
export type MemberView = z.infer<typeof MemberView>;

/** Members of an account, oldest first; at most 500 per reply. */
export const ListMembers = defineRpc({
  subject: 'key.{env}.v1.rpc.list-members',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** Only members with higher numbers: `next` of the previous reply. */
    after: UserId.optional(),
    actor: Actor,
  }),
  reply: z.object({ members: z.array(MemberView), next: UserId.nullable() }),
  errors: ['account_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});

/** Changes a member's role at once. An account keeps at least one owner. */
export const ChangeRole = defineRpc({
  subject: 'key.{env}.v1.rpc.change-role',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  queue: 'keys',
  request: z.object({ account: AccountId, user: UserId, role: MemberRole, actor: Actor }),
  reply: z.object({ user: UserId, role: MemberRole }),
  errors: ['account_not_found', 'not_permitted', 'user_not_found', 'last_owner'],
  timeoutMs: 3_000,
});

/** Removes a member from an account and ends their sessions in it. An account keeps at least one owner. */
export const RemoveMember = defineRpc({
  subject: 'key.{env}.v1.rpc.remove-member',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'owner',
  queue: 'keys',
  request: z.object({ account: AccountId, user: UserId, actor: Actor }),
  reply: z.object({ user: UserId }),
  errors: ['account_not_found', 'not_permitted', 'user_not_found', 'last_owner'],
  timeoutMs: 3_000,
});
