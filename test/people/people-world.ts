import {
  AcceptInvitation,
  type AccountId,
  type Actor,
  CreateInvitation,
  CreateSetupLink,
  FindUser,
  type MemberRole,
  type Proof,
  type RpcContract,
  type SessionId,
  type SessionTokens,
  SignIn,
  type UserId,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { ENV } from '../services/bus.js';
import { KeysWorld } from '../keys/keys-world.js';
import { type Outcome, PatientRpc } from '../services/patient-rpc.js';

export const OPS: Actor = { kind: 'ops', client: 'test' };
export const PASSWORD = 'correct horse battery';
export const as = (user: UserId): Actor => ({ kind: 'user', user, address: '192.0.2.7', client: 'test browser' });

/** A signed-in member of an account. */
export interface Resident {
  readonly email: string;
  readonly user: UserId;
  readonly account: AccountId;
  readonly tokens: SessionTokens;
}

interface Named {
  readonly actor?: Actor;
  readonly user?: UserId;
  readonly session?: SessionId;
  readonly account?: AccountId;
}

/** keys-service with clients for the console and operators. */
export class PeopleWorld {
  #people = 0;
  /** The latest session token of each person and session. */
  readonly #proofs = new Map<UserId | SessionId, SessionTokens>();
  readonly #emails = new Map<UserId, string>();

  private constructor(
    readonly keys: KeysWorld,
    readonly console: RpcClient,
  ) {}

  /** @param how whether keys-service is a process, which takes for a hash what it takes in production */
  static async start(environment: Record<string, string> = {}, how: 'replica' | 'replicaProcess' = 'replica'): Promise<PeopleWorld> {
    const keys = await KeysWorld.start();
    await keys[how](environment);
    return new PeopleWorld(keys, new RpcClient(await keys.bus.connect('console'), ENV));
  }

  /** Calls as the console, with retries and the token of the person that the request names. */
  async ask<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.#met(await new PatientRpc(await this.#provenFor(contract, request)).ask(contract, request));
  }

  /** Calls once. @returns the error code of a refusal instead of throwing */
  async outcome<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<Outcome<z.output<C['reply']>>> {
    const outcome = await new PatientRpc(await this.#provenFor(contract, request)).outcome(contract, request);
    this.#met(outcome.reply);
    return outcome;
  }

  /** The latest token of a person who signed in here. */
  proofOf(person: UserId | SessionId): string {
    const tokens = this.#proofs.get(person);
    if (!tokens) throw new Error(`No person of the name ${person} signed in here.`);
    return tokens.access_token;
  }

  async #provenFor({ proof }: RpcContract, request: unknown): Promise<RpcClient> {
    if (proof === 'carried' || proof === 'role') return this.console;
    if ((request as Named).actor?.kind === 'ops') return this.keys.ops;
    const tokens = this.#tokensFor(proof, request as Named);
    if (!tokens) return this.console;
    if (proof === 'session') return this.console.withProof(tokens.access_token);
    const email = this.#emails.get(tokens.user);
    if (email === undefined) return this.console.withProof(tokens.access_token);
    // Refreshes a void token or signs in again, as a page does.
    const fresh = await new PatientRpc(this.console.withProof(tokens.access_token)).outcome(FindUser, { user: tokens.user });
    if (fresh.code !== 'session_ended') return this.console.withProof(tokens.access_token);
    const again = await new PatientRpc(this.console).outcome(SignIn, { email, password: PASSWORD, origin: {} });
    return this.console.withProof(this.#met(again.reply)?.access_token ?? tokens.access_token);
  }

  /** The token of the session or person that the request names, or of an owner of its account. */
  #tokensFor(proof: Proof | undefined, { actor, user, session, account }: Named): SessionTokens | undefined {
    if (proof === 'session') return session && this.#proofs.get(session);
    if (actor?.kind === 'user') return this.#proofs.get(actor.user);
    if (proof === 'self') return user && this.#proofs.get(user);
    return [...this.#proofs.values()].findLast((tokens) => tokens.account === account && tokens.role === 'owner');
  }

  /** Calls with a given proof. */
  proving(proof: string): PatientRpc {
    return new PatientRpc(this.console.withProof(proof));
  }

  #met<T>(reply: T): T {
    const tokens = reply as Partial<SessionTokens> | undefined;
    if (tokens?.access_token !== undefined) {
      this.#proofs.set(tokens.session!, tokens as SessionTokens);
      this.#proofs.set(tokens.user!, tokens as SessionTokens);
    }
    return reply;
  }

  async code<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<string | undefined> {
    return (await this.outcome(contract, request)).code;
  }

  /** A new address. */
  email(name = 'person'): string {
    return `${name}-${(this.#people += 1)}@example.com`;
  }

  /** The first owner of a new account, by its set-up link. */
  async owner(): Promise<Resident> {
    const account = await this.keys.account();
    const email = this.email('owner');
    const { token } = await this.keys.ask(CreateSetupLink, { account, actor: OPS });
    return this.accept(token, { email, account });
  }

  /** A new member of an account, invited by its owner. */
  async member(owner: Resident, role: MemberRole): Promise<Resident> {
    const email = this.email(role);
    const { account } = owner;
    const { token } = await this.ask(CreateInvitation, { account, email, role, actor: as(owner.user) });
    return this.accept(token, { email, account });
  }

  async accept(token: string, { email, account }: { email: string; account: AccountId }): Promise<Resident> {
    const tokens = await this.ask(AcceptInvitation, { token, email, name: email, password: PASSWORD, origin: { address: '192.0.2.7' } });
    this.#emails.set(tokens.user, email);
    return { email, user: tokens.user, account, tokens };
  }

  end(): Promise<void> {
    return this.keys.end();
  }
}
