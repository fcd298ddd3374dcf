import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Transactions } from '@slipway/database';
import { AccountsModule } from './accounts/accounts.module.js';
import { KeyFeedPublisher } from './feed/key-feed-publisher.js';
import { KeyMint } from './keys/key-minting.js';
import { KeysModule } from './keys/keys.module.js';

/** What the process owns and the modules use. */
export interface KeysRuntime {
  readonly transactions: Transactions;
  readonly feed: KeyFeedPublisher;
  readonly mint: KeyMint;
}

@Global()
@Module({})
class RuntimeModule {}

@Module({})
export class AppModule {
  static with({ transactions, feed, mint }: KeysRuntime): DynamicModule {
    const providers = [
      { provide: Transactions, useValue: transactions },
      { provide: KeyFeedPublisher, useValue: feed },
      { provide: KeyMint, useValue: mint },
    ];
    const runtime = { module: RuntimeModule, providers, exports: providers };
    return { module: AppModule, imports: [runtime, AccountsModule, KeysModule] };
  }
}
