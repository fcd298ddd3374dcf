import { Module } from '@nestjs/common';
import { type Actor, KeyFeed, SessionFeed } from '@slipway/contracts';
import { Database, database, refusalLog, type Tx } from '@slipway/database';
import { feedPublisher } from '@slipway/feed';
import { defineService, resource } from '@slipway/platform';
import { RpcGate } from '@slipway/proof';
import { KeysConfig } from './config.js';
import { schema } from './db/schema.js';
import { IdentityModule } from './identity/identity.module.js';
import { HASHING, PASSWORD_COST, type PasswordCost } from './identity/password-hasher.js';
import { PeopleRepository } from './identity/people.repository.js';
import { SessionFeedSource } from './identity/sessions.repository.js';
import { KeysModule } from './keys/keys.module.js';
import { KeyFeedSource } from './shared/key-feed.repository.js';
import { UsageIntake } from './usage/intake.js';
import { UsageModule } from './usage/usage.module.js';

@Module({ imports: [IdentityModule, KeysModule, UsageModule] })
class KeysServiceModule {}

/** What a test may replace in keys-service, besides its configuration. */
export interface KeysServiceOverrides {
  /** What a hash of a password takes. No setting: a weak hash is no choice of an operator. */
  readonly passwordCost?: PasswordCost;
}

/** The service definition of keys-service, with a test's overrides. */
export const keysServiceWith = ({ passwordCost = PASSWORD_COST }: KeysServiceOverrides = {}) =>
  defineService({
    name: 'keys-service',
    role: 'keys',
    config: KeysConfig,
    module: KeysServiceModule,
    providers: [{ provide: HASHING, useValue: passwordCost }],
    resources: [
      database({ name: 'keys', applicationName: 'keys-service', ...schema }),
      refusalLog({ nameOf: addressOf }),
      feedPublisher({ contract: KeyFeed, stores: Database, source: KeyFeedSource }),
      feedPublisher({ contract: SessionFeed, stores: Database, source: SessionFeedSource }),
      resource(UsageIntake),
    ],
    rpc: { gate: RpcGate },
  });

/** Accounts, people, sessions, keys and the ledger of usage. */
export const keysService = keysServiceWith();

/** The email address of a person, for the audit log; null for other actors. */
async function addressOf(tx: Tx, actor: Actor): Promise<string | null> {
  const person = actor.kind === 'user' ? await new PeopleRepository().find(tx, actor.user) : null;
  return person?.email ?? null;
}
