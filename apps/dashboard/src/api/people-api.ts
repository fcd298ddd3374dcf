import type { AuditEntry, InvitationView, MemberRole, MembershipView, MemberView } from '@slipway/contracts';
import { session } from '../session/session.js';

/** Who is signed in. */
export interface Me {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly has_password: boolean;
  readonly memberships: readonly MembershipView[];
  readonly session: string;
}

/** A sign-in as its person sees it. */
export interface SessionView {
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly address: string | null;
  readonly client: string | null;
}

/** Whose log: that of keys and people, or that of deployments and aliases. */
export type AuditKind = 'people' | 'deployments';

const get = <T>(path: string): Promise<T> => session.ask<T>(path, { method: 'GET' });
const post = <T>(path: string, body: object = {}): Promise<T> => session.ask<T>(path, { body });

/** What the console offers about people, besides the calls of `CONSOLE_API`. */
export const people = {
  me: () => get<Me>('/api/me'),
  addresses: () => get<{ readonly gateway_url: string; readonly environment: string }>('/api/addresses'),
  sessions: () => get<{ readonly sessions: readonly SessionView[] }>('/api/sessions'),
  endSession: (id: string) => post('/api/sessions/end', { session: id }),
  signOutEverywhere: () => post('/api/sign-out-everywhere'),
  changePassword: (current: string, next: string) => post('/api/password', { current, next }),
  members: (after?: number) =>
    get<{ readonly members: readonly MemberView[]; readonly next: number | null }>(
      `/api/members${after === undefined ? '' : `?after=${after}`}`,
    ),
  changeRole: (user: number, role: MemberRole) => post(`/api/members/${user}/role`, { role }),
  removeMember: (user: number) => post(`/api/members/${user}/remove`),
  invitations: () => get<{ readonly invitations: readonly InvitationView[] }>('/api/invitations'),
  invite: (email: string, role: MemberRole) =>
    post<{ readonly link: string; readonly expires_at: string }>('/api/invitations', { email, role }),
  revokeInvitation: (id: number) => post(`/api/invitations/${id}/revoke`),
  audit: (of: AuditKind, before?: number) =>
    get<{ readonly entries: readonly AuditEntry[]; readonly next: number | null }>(
      `/api/audit${of === 'deployments' ? '/deployments' : ''}${before === undefined ? '' : `?before=${before}`}`,
    ),
};
