import { Module } from '@nestjs/common';
import { RpcClient } from '@slipway/platform';
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
      useFactory: (rpc: RpcClient, own: OwnOrigin): TransferRelay => new TransferRelay(new BlobDoor(rpc), own),
      inject: [RpcClient, OwnOrigin],
    },
  ],
  exports: [TransferRelay],
})
export class TransfersModule {}
