import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateDataset, DeleteDataset, FindDataset, ListDatasets, RenameDataset, SetDatasetAccess } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { BlobsModule } from '../blobs/blobs.module.js';
import { CreationsRepository } from '../creations.repository.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { DatasetsRepository } from './datasets.repository.js';
import { DatasetsService } from './datasets.service.js';
import { NewVersions } from './new-versions.js';
import { VersionsRepository } from './versions.repository.js';

@Controller()
class DatasetsHandlers {
  constructor(private readonly datasets: DatasetsService) {}

  @RpcHandler(CreateDataset)
  create(@Payload() request: z.output<typeof CreateDataset.request>): Promise<z.input<typeof CreateDataset.reply>> {
    return this.datasets.create(request);
  }

  @RpcHandler(ListDatasets)
  list(@Payload() request: z.output<typeof ListDatasets.request>): Promise<z.input<typeof ListDatasets.reply>> {
    return this.datasets.list(request);
  }

  @RpcHandler(FindDataset)
  find(@Payload() request: z.output<typeof FindDataset.request>): Promise<z.input<typeof FindDataset.reply>> {
    return this.datasets.find(request);
  }

  @RpcHandler(RenameDataset)
  rename(@Payload() request: z.output<typeof RenameDataset.request>): Promise<z.input<typeof RenameDataset.reply>> {
    return this.datasets.rename(request);
  }

  @RpcHandler(SetDatasetAccess)
  setAccess(@Payload() request: z.output<typeof SetDatasetAccess.request>): Promise<z.input<typeof SetDatasetAccess.reply>> {
    return this.datasets.setAccess(request);
  }

  @RpcHandler(DeleteDataset)
  delete(@Payload() request: z.output<typeof DeleteDataset.request>): Promise<z.input<typeof DeleteDataset.reply>> {
    return this.datasets.delete(request);
  }
}

/** Data sets and their versions. */
@Module({
  imports: [QuotasModule, BlobsModule],
  controllers: [DatasetsHandlers],
  providers: [DatasetsRepository, VersionsRepository, DatasetsService, NewVersions, CreationsRepository],
  exports: [DatasetsRepository, VersionsRepository, NewVersions, CreationsRepository],
})
export class DatasetsModule {}
