import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { FindAdapterImport, ImportAdapter, ListAdapterImports, ReportImport, StoreImportBlob } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { BlobsModule } from '../blobs/blobs.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { TrainersModule } from '../trainers/trainers.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { AdapterImportsService } from './adapter-imports.service.js';
import { ImportReportsService } from './import-reports.service.js';

@Controller()
class AdapterImportsHandlers {
  constructor(
    private readonly imports: AdapterImportsService,
    private readonly reports: ImportReportsService,
  ) {}

  @RpcHandler(ImportAdapter)
  open(@Payload() request: z.output<typeof ImportAdapter.request>): Promise<z.input<typeof ImportAdapter.reply>> {
    return this.imports.open(request);
  }

  @RpcHandler(FindAdapterImport)
  find(@Payload() request: z.output<typeof FindAdapterImport.request>): Promise<z.input<typeof FindAdapterImport.reply>> {
    return this.imports.find(request);
  }

  @RpcHandler(ListAdapterImports)
  list(@Payload() request: z.output<typeof ListAdapterImports.request>): Promise<z.input<typeof ListAdapterImports.reply>> {
    return this.imports.list(request);
  }

  @RpcHandler(StoreImportBlob)
  store(@Payload() request: z.output<typeof StoreImportBlob.request>): Promise<z.input<typeof StoreImportBlob.reply>> {
    return this.reports.store(request);
  }

  @RpcHandler(ReportImport)
  report(@Payload() request: z.output<typeof ReportImport.request>): Promise<z.input<typeof ReportImport.reply>> {
    return this.reports.report(request);
  }
}

/** Adapters that come from outside. */
@Module({
  imports: [AdaptersModule, BlobsModule, QuotasModule, TrainersModule, UploadsModule],
  controllers: [AdapterImportsHandlers],
  providers: [AdapterImportsService, ImportReportsService],
})
export class AdapterImportsModule {}
