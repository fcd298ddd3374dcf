import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CancelUpload, FindBlobDoor, FindUpload, OpenUpload } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { BlobDoor } from '../blobs/blob-door.js';
import { BlobsModule } from '../blobs/blobs.module.js';
import { DatasetsModule } from '../datasets/datasets.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { UploadDoor } from './upload-door.js';
import { UploadsRepository } from './uploads.repository.js';
import { UploadsService } from './uploads.service.js';

@Controller()
class UploadsHandlers {
  constructor(
    private readonly uploads: UploadsService,
    private readonly door: BlobDoor,
  ) {}

  @RpcHandler(OpenUpload)
  open(@Payload() request: z.output<typeof OpenUpload.request>): Promise<z.input<typeof OpenUpload.reply>> {
    return this.uploads.open(request);
  }

  @RpcHandler(FindUpload)
  find(@Payload() request: z.output<typeof FindUpload.request>): Promise<z.input<typeof FindUpload.reply>> {
    return this.uploads.find(request);
  }

  @RpcHandler(CancelUpload)
  cancel(@Payload() request: z.output<typeof CancelUpload.request>): Promise<z.input<typeof CancelUpload.reply>> {
    return this.uploads.cancel(request);
  }

  @RpcHandler(FindBlobDoor)
  findDoor(): z.input<typeof FindBlobDoor.reply> {
    return { url: this.door.url };
  }
}

/** Uploads, and the port through which bytes come and go. */
@Module({
  imports: [AdaptersModule, DatasetsModule, BlobsModule, QuotasModule],
  controllers: [UploadsHandlers],
  providers: [UploadsRepository, UploadsService, UploadDoor, BlobDoor],
  exports: [UploadsService, UploadsRepository, BlobDoor],
})
export class UploadsModule {}
