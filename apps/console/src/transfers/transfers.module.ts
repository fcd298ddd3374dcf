import { Module } from '@nestjs/common';
import { CONFIG, RpcClient } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { HttpModule } from '../http/http.module.js';
import { OwnOrigin } from '../http/own-origin.js';
import { BlobDoor } from './blob-door.js';
import { TransferRelay } from './transfer-relay.js';

/** Files of data sets and adapters on their way to and from tuning-service. */
@Module({
  imports: [HttpModule],
  providers: [
    {
      provide: TransferRelay,
      useFactory: (rpc: RpcClient, own: OwnOrigin, { BLOB_CA: ca }: ConsoleConfig): TransferRelay =>
        new TransferRelay(new BlobDoor(rpc, ca), own),
      inject: [RpcClient, OwnOrigin, CONFIG],
    },
  ],
  exports: [TransferRelay],
})
export class TransfersModule {}
