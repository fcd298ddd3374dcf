import { Module } from '@nestjs/common';
import { type Actor, KeyFeed, SessionFeed } from '@slipway/contracts';
import { Database, database, refusalLog, type Tx } from '@slipway/database';
import { feedPublisher } from '@slipway/feed';
import { defineService, resource } from '@slipway/platform';
import { RpcGate } from '@slipway/proof';
import { AccountsModule } from './identity/accounts.module.js';
import { AuditModule } from './identity/audit.module.js';
import { KeysConfig } from './config.js';
import { schema } from './db/schema.js';
import { DeletionModule } from './identity/deletion.module.js';
import { KeyFeedSource } from './shared/key-feed-source.repository.js';
import { KeysModule } from './keys/keys.module.js';
import { PeopleModule } from './identity/people.module.js';
import { PeopleRepository } from './identity/people.repository.js';
import { PlaygroundModule } from './identity/playground.module.js';
import { SessionFeedSource } from './identity/session-feed-source.repository.js';
import { SessionsModule } from './identity/sessions.module.js';
import { UsageIntake } from './usage/intake.js';
import { UsageModule } from './usage/usage.module.js';
import { WorkersModule } from './keys/workers.module.js';

@Module({
  imports: [
    DeletionModule,
    AccountsModule,
    KeysModule,
    PeopleModule,
    SessionsModule,
    PlaygroundModule,
    AuditModule,
    UsageModule,
    WorkersModule,
  ],
})
class KeysServiceModule {}

/** Accounts, people, sessions, keys and the ledger of what is used. */
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

/** The address of a person, for the audit log; null for a key. */
async function addressOf(tx: Tx, actor: Actor): Promise<string | null> {
  const person = actor.kind === 'user' ? await new PeopleRepository().find(tx, actor.user) : null;
  return person?.email ?? null;
}
