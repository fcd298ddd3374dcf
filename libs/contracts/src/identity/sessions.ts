import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AccountSlug, SessionId, UserId } from '../ids.js';
import { Actor, Origin } from './audit.js';
import { GrantedRole } from './people.js';

/** The tokens of a session. No later reply holds them. */
export const SessionTokens = z.object({
  session: SessionId,
  user: UserId,
  account: AccountId,
  slug: AccountSlug,
  role: GrantedRole,
  /** Signed; see `SessionClaims`. */
  access_token: z.string(),
  access_expires_at: z.iso.datetime(),
  /** Exchanged once for the next pair. Only for a cookie. */
  refresh_token: z.string(),
  /** When the session ends unless it is used. */
  refresh_expires_at: z.iso.datetime(),
  /** See `BrowserToken`. Only for a cookie, and only after a sign-in. */
  browser_token: z.string().optional(),
});
export type SessionTokens = z.infer<typeof SessionTokens>;

/** A refresh token. One of another form is refused without reading the database. */
const RefreshToken = z.string().max(200);

/** Token that a sign-in gives to a browser, so that failures elsewhere do not lock it out. It is not a credential. */
export const BrowserToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** A session as its person sees it. */
const SessionView = z.object({
  id: SessionId,
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime(),
  address: z.string().nullable(),
  client: z.string().nullable(),
});

/**
 * Exchanges a refresh token for the next pair. It is valid for one attempt: the same `attempt` may repeat the call until the
 * next token is used, because replies get lost and tabs race. The same token with another attempt or none ends the session,
 * because one of the two callers must have stolen it. Expired, ended, reused and unknown tokens all get `session_ended`.
 */
export const RefreshSession = defineRpc({
  subject: 'key.{env}.v1.rpc.refresh-session',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({
    refresh_token: RefreshToken,
    /** Switches to another account of the person; any other account gets `not_permitted`. */
    account: AccountSlug.optional(),
    /** Random text that the page keeps until it has a reply; the same in all tabs of a browser. */
    attempt: z.string().min(16).max(64).optional(),
    origin: Origin,
  }),
  reply: SessionTokens,
  errors: ['session_ended', 'not_permitted'],
  timeoutMs: 3_000,
});

/** Ends the session of a refresh token. A token without a session is not an error. */
export const SignOut = defineRpc({
  subject: 'key.{env}.v1.rpc.sign-out',
  owner: 'keys',
  callers: ['console'],
  proof: 'carried',
  queue: 'keys',
  request: z.object({ refresh_token: RefreshToken, origin: Origin }),
  reply: z.object({ ended: z.boolean() }),
  errors: [],
  timeoutMs: 3_000,
});

/** Sessions of a person that have not ended, newest first. */
export const ListSessions = defineRpc({
  subject: 'key.{env}.v1.rpc.list-sessions',
  owner: 'keys',
  callers: ['console'],
  proof: 'self',
  queue: 'keys',
  request: z.object({ user: UserId }),
  reply: z.object({ sessions: z.array(SessionView) }),
  errors: ['user_not_found'],
  timeoutMs: 3_000,
});

/** Ends one session of a person, or all of them: sign-out everywhere. */
export const EndSessions = defineRpc({
  subject: 'key.{env}.v1.rpc.end-sessions',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'self',
  queue: 'keys',
  request: z.object({
    user: UserId,
    /** Absent = all. */
    session: SessionId.optional(),
    actor: Actor,
  }),
  reply: z.object({ ended: z.int().nonnegative() }),
  errors: ['user_not_found', 'session_not_found', 'not_permitted'],
  timeoutMs: 3_000,
});
