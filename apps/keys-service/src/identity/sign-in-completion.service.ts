import { Injectable } from '@nestjs/common';
import { type Actor, type Origin, ServiceError, type SessionTokens } from '@slipway/contracts';
import { AuditLog, type Tx } from '@slipway/database';
import { AttemptsRepository } from './attempts.repository.js';
import { type Membership, MembershipsRepository } from './memberships.repository.js';
import { invalidCredentials } from './passwords.service.js';
import { PeopleRepository, type Person } from './people.repository.js';
import { newSecret } from './secrets.js';
import { SessionTokenIssuer } from './session-tokens.service.js';

/** How and from where a person signs in. */
export interface SignInContext {
  /** The account to work in; when it is absent or not theirs, their oldest one. */
  readonly slug?: string | undefined;
  readonly origin: Origin;
  /** The token that an earlier sign-in gave this browser. */
  readonly browser?: string | undefined;
  readonly method: 'password' | 'identity_provider' | 'invitation';
}

/** The last step of every sign-in: chooses the account, begins the session and records it in the audit log. */
@Injectable()
export class SignInCompletion {
  constructor(
    private readonly people: PeopleRepository,
    private readonly memberships: MembershipsRepository,
    private readonly attempts: AttemptsRepository,
    private readonly issuer: SessionTokenIssuer,
    private readonly audit: AuditLog,
  ) {}

  /** @throws ServiceError `not_permitted` for a person without an account; `invalid_credentials` for one who was suspended meanwhile */
  async complete(tx: Tx, person: Person, { slug, origin, method, browser = newSecret() }: SignInContext): Promise<SessionTokens> {
    // Locks the person first: a concurrent suspension waits for this transaction, then ends its session.
    if (!(await this.people.recordSignIn(tx, person.id))) throw invalidCredentials();
    const membership = await this.#choose(tx, person, slug);
    await this.attempts.rememberBrowser(tx, person.id, browser);
    const tokens = await this.issuer.begin(tx, person, membership, origin);
    const actor: Actor = { kind: 'user', user: person.id, ...origin };
    const { account } = membership;
    const entry = { account, actor, actorName: person.email, object: `user:${person.id}`, objectName: person.email };
    await this.audit.record(tx, { ...entry, action: 'session.sign_in', facts: { method } });
    return { ...tokens, browser_token: browser };
  }

  async #choose(tx: Tx, person: Person, slug: string | undefined): Promise<Membership> {
    // Locks the memberships: a concurrent role change waits for this transaction, then voids the new session's tokens.
    const all = await this.memberships.lockAccountsOf(tx, person.id);
    const chosen = all.find((one) => one.slug === slug) ?? all[0];
    if (chosen === undefined) throw new ServiceError('not_permitted', 'You belong to no account; ask to be invited.');
    return chosen;
  }
}
