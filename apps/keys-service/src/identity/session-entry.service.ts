import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Actor, type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { AuditLog, type Tx } from '@slipway/database';
import { AttemptsRepository } from './attempts.repository.js';
import { type Membership, MembershipsRepository } from './memberships.repository.js';
import { invalidCredentials } from './passwords.service.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { SessionIssuing } from './session-issuing.service.js';

/** Where somebody signs in, from where, and how. */
export interface Entrance {
  /** The account to work in; absent or foreign = the first one. */
  readonly slug?: string | undefined;
  readonly origin: Origin;
  /** What an earlier sign-in gave this browser. */
  readonly browser?: string | undefined;
  readonly method: 'password' | 'identity_provider' | 'invitation';
}

/** The last step of every way to sign in: an account, a session, an entry in the audit log. */
@Injectable()
export class SessionEntry {
  constructor(
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly attempts: AttemptsRepository,
    private readonly issuing: SessionIssuing,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ServiceError `not_permitted` for a person without an account; `invalid_credentials` for one who was suspended at this moment */
  async enter(tx: Tx, person: Person, { slug, origin, method, browser = newBrowserToken() }: Entrance): Promise<SessionTokens> {
    // First: who suspends somebody waits for this, then ends the session that it makes.
    if (!(await this.people.signedIn(tx, person.id))) throw invalidCredentials();
    const membership = await this.#choose(tx, person, slug);
    await this.attempts.remember(tx, person.id, browser);
    const tokens = await this.issuing.open(tx, person, membership, origin);
    const actor: Actor = { kind: 'user', user: person.id, ...origin };
    const { account } = membership;
    const entry = { account, actor, actorName: person.email, object: `user:${person.id}`, objectName: person.email };
    await this.audit.record(tx, { ...entry, action: 'session.sign_in', facts: { method } });
    return { ...tokens, browser_token: browser };
  }

  async #choose(tx: Tx, person: Person, slug: string | undefined): Promise<Membership> {
    // Held: a role that is taken away at this moment is taken away from the new session as well.
    const all = await this.memberships.holdAccountsOf(tx, person.id);
    const chosen = all.find((one) => one.slug === slug) ?? all[0];
    if (chosen === undefined) throw new ServiceError('not_permitted', 'You belong to no account; ask to be invited.');
    return chosen;
  }
}

/** 256 random bits: whoever shows them signed in here before. */
const newBrowserToken = (): string => randomBytes(32).toString('base64url');
