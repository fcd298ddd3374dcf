import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OpenBlob, ReportMeasure, ReportTraining, StoreBlob } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { BlobsModule } from '../blobs/blobs.module.js';
import { DatasetsModule } from '../datasets/datasets.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { BlobReadsService } from './blob-reads.service.js';
import { ReportsService } from './reports.service.js';

@Controller()
class ReportsHandlers {
  constructor(
    private readonly reports: ReportsService,
    private readonly reads: BlobReadsService,
  ) {}

  @RpcHandler(ReportTraining)
  report(@Payload() request: z.output<typeof ReportTraining.request>): Promise<z.input<typeof ReportTraining.reply>> {
    return this.reports.report(request);
  }

  @RpcHandler(StoreBlob)
  store(@Payload() request: z.output<typeof StoreBlob.request>): Promise<z.input<typeof StoreBlob.reply>> {
    return this.reports.store(request);
  }

  @RpcHandler(OpenBlob)
  open(@Payload() request: z.output<typeof OpenBlob.request>): Promise<z.input<typeof OpenBlob.reply>> {
    return this.reads.open(request);
  }

  @RpcHandler(ReportMeasure)
  reportMeasure(@Payload() request: z.output<typeof ReportMeasure.request>): Promise<z.input<typeof ReportMeasure.reply>> {
    return this.reads.reportMeasure(request);
  }
}

/** What training workers and agents ask and report. */
@Module({
  imports: [AdaptersModule, BlobsModule, DatasetsModule, JobsModule, QuotasModule, UploadsModule],
  controllers: [ReportsHandlers],
  providers: [ReportsService, BlobReadsService],
})
export class ReportsModule {}
