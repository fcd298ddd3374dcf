import {
  AcceptInvitation,
  type AccountId,
  type Actor,
  CreateInvitation,
  CreateSetupLink,
  type MemberRole,
  type RpcContract,
  type SessionTokens,
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

/** Somebody who belongs to an account and is signed in. */
export interface Resident {
  readonly email: string;
  readonly user: UserId;
  readonly account: AccountId;
  readonly tokens: SessionTokens;
}

/** keys-service as a process, asked as the console and as operators ask. */
export class PeopleWorld {
  #people = 0;

  private constructor(
    readonly keys: KeysWorld,
    readonly console: RpcClient,
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<PeopleWorld> {
    const keys = await KeysWorld.start();
    await keys.replica(environment);
    return new PeopleWorld(keys, new RpcClient(await keys.bus.connect('console'), ENV));
  }

  /** Asks as the console does, with patience. */
  ask<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return new PatientRpc(this.console).ask(contract, request);
  }

  /** Asks once, and tells the code of a refusal instead of failing. */
  outcome<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<Outcome<z.output<C['reply']>>> {
    return new PatientRpc(this.console).outcome(contract, request);
  }

  async code<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<string | undefined> {
    return (await this.outcome(contract, request)).code;
  }

  /** An address that nobody has. */
  email(name = 'person'): string {
    return `${name}-${(this.#people += 1)}@example.com`;
  }

  /** The first owner of a new account, come in by the set-up link. */
  async owner(): Promise<Resident> {
    const account = await this.keys.account();
    const email = this.email('owner');
    const { token } = await this.keys.ask(CreateSetupLink, { account, actor: OPS });
    return this.accept(token, { email, account });
  }

  /** Somebody new in an account, invited by its owner. */
  async member(owner: Resident, role: MemberRole): Promise<Resident> {
    const email = this.email(role);
    const { account } = owner;
    const { token } = await this.ask(CreateInvitation, { account, email, role, actor: as(owner.user) });
    return this.accept(token, { email, account });
  }

  async accept(token: string, { email, account }: { email: string; account: AccountId }): Promise<Resident> {
    const tokens = await this.ask(AcceptInvitation, { token, email, name: email, password: PASSWORD, origin: { address: '192.0.2.7' } });
    return { email, user: tokens.user, account, tokens };
  }

  end(): Promise<void> {
    return this.keys.end();
  }
}
