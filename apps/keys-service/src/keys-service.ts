import { Module } from '@nestjs/common';
import { type Actor, KeyFeed, SessionFeed } from '@slipway/contracts';
import { Database, database, refusalLog, type Tx } from '@slipway/database';
import { feedPublisher } from '@slipway/feed';
import { defineService, resource } from '@slipway/platform';
import { RpcGate } from '@slipway/proof';
import { KeysConfig } from './config.js';
import { schema } from './db/schema.js';
import { IdentityModule } from './identity/identity.module.js';
import { PeopleRepository } from './identity/people.repository.js';
import { SessionFeedSource } from './identity/sessions.repository.js';
import { KeysModule } from './keys/keys.module.js';
import { KeyFeedSource } from './shared/key-feed.repository.js';
import { UsageIntake } from './usage/intake.js';
import { UsageModule } from './usage/usage.module.js';

@Module({ imports: [IdentityModule, KeysModule, UsageModule] })
class KeysServiceModule {}

/** Accounts, people, sessions, keys and the ledger of usage. */
export const keysService = defineService({
  name: 'keys-service',
  role: 'keys',
  config: KeysConfig,
  module: KeysServiceModule,
  resources: [
    database({ name: 'keys', applicationName: 'keys-service', ...schema }),
    refusalLog({ nameOf: addressOf }),
    feedPublisher({ contract: KeyFeed, stores: Database, source: KeyFeedSource }),
    feedPublisher({ contract: SessionFeed, stores: Database, source: SessionFeedSource }),
    resource(UsageIntake),
  ],
  rpc: { gate: RpcGate },
});

/** The email address of a person, for the audit log; null for other actors. */
async function addressOf(tx: Tx, actor: Actor): Promise<string | null> {
  const person = actor.kind === 'user' ? await new PeopleRepository().find(tx, actor.user) : null;
  return person?.email ?? null;
}
