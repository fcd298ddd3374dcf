import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  DeleteAdapter,
  ExportAdapter,
  FindAdapter,
  ListAdapters,
  ReadAdapterAnswers,
  RenameAdapter,
  ReportAdapterUse,
  ServeAdapter,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AdapterImportsRepository } from '../adapter-imports/adapter-imports.repository.js';
import { ArrivedAdapters } from '../adapter-imports/arrived-adapters.js';
import { SuiteOutcomesRepository } from '../evaluations/suite-outcomes.repository.js';
import { BlobsModule } from '../blobs/blobs.module.js';
import { DatasetsModule } from '../datasets/datasets.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { TrainersModule } from '../trainers/trainers.module.js';
import { AdapterExports } from './adapter-exports.js';
import { AdaptersRepository } from './adapters.repository.js';
import { AdaptersService } from './adapters.service.js';

@Controller()
class AdaptersHandlers {
  constructor(private readonly adapters: AdaptersService) {}

  @RpcHandler(ListAdapters)
  list(@Payload() request: z.output<typeof ListAdapters.request>): Promise<z.input<typeof ListAdapters.reply>> {
    return this.adapters.list(request);
  }

  @RpcHandler(FindAdapter)
  find(@Payload() request: z.output<typeof FindAdapter.request>): Promise<z.input<typeof FindAdapter.reply>> {
    return this.adapters.find(request);
  }

  @RpcHandler(ReadAdapterAnswers)
  answers(@Payload() request: z.output<typeof ReadAdapterAnswers.request>): Promise<z.input<typeof ReadAdapterAnswers.reply>> {
    return this.adapters.answers(request);
  }

  @RpcHandler(ServeAdapter)
  serve(@Payload() request: z.output<typeof ServeAdapter.request>): Promise<z.input<typeof ServeAdapter.reply>> {
    return this.adapters.serve(request);
  }

  @RpcHandler(ReportAdapterUse)
  reportUse(@Payload() request: z.output<typeof ReportAdapterUse.request>): Promise<z.input<typeof ReportAdapterUse.reply>> {
    return this.adapters.reportUse(request);
  }

  @RpcHandler(RenameAdapter)
  rename(@Payload() request: z.output<typeof RenameAdapter.request>): Promise<z.input<typeof RenameAdapter.reply>> {
    return this.adapters.rename(request);
  }

  @RpcHandler(DeleteAdapter)
  delete(@Payload() request: z.output<typeof DeleteAdapter.request>): Promise<z.input<typeof DeleteAdapter.reply>> {
    return this.adapters.delete(request);
  }

  @RpcHandler(ExportAdapter)
  export(@Payload() request: z.output<typeof ExportAdapter.request>): Promise<z.input<typeof ExportAdapter.reply>> {
    return this.adapters.export(request);
  }
}

/** Adapters, what serves them and how they leave. */
@Module({
  imports: [BlobsModule, DatasetsModule, QuotasModule, TrainersModule],
  controllers: [AdaptersHandlers],
  providers: [AdaptersRepository, AdaptersService, AdapterExports, AdapterImportsRepository, ArrivedAdapters, SuiteOutcomesRepository],
  exports: [AdaptersRepository, AdapterImportsRepository, ArrivedAdapters],
})
export class AdaptersModule {}
