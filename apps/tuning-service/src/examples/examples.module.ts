import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AddExamples,
  AddSample,
  CompareVersions,
  DownloadDataset,
  FindVersion,
  ImportDataset,
  ReadExamples,
  ReadIssues,
  RepairVersion,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { BlobsModule } from '../blobs/blobs.module.js';
import { DatasetsModule } from '../datasets/datasets.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { CompareService } from './compare.service.js';
import { EditsService } from './edits.service.js';
import { ExampleTexts } from './example-texts.js';
import { ExamplesService } from './examples.service.js';

@Controller()
class ExamplesHandlers {
  constructor(
    private readonly examples: ExamplesService,
    private readonly edits: EditsService,
    private readonly compares: CompareService,
  ) {}

  @RpcHandler(FindVersion)
  findVersion(@Payload() request: z.output<typeof FindVersion.request>): Promise<z.input<typeof FindVersion.reply>> {
    return this.examples.findVersion(request);
  }

  @RpcHandler(ReadIssues)
  issues(@Payload() request: z.output<typeof ReadIssues.request>): Promise<z.input<typeof ReadIssues.reply>> {
    return this.examples.issues(request);
  }

  @RpcHandler(ReadExamples)
  read(@Payload() request: z.output<typeof ReadExamples.request>): Promise<z.input<typeof ReadExamples.reply>> {
    return this.examples.read(request);
  }

  @RpcHandler(AddExamples)
  add(@Payload() request: z.output<typeof AddExamples.request>): Promise<z.input<typeof AddExamples.reply>> {
    return this.edits.add(request);
  }

  @RpcHandler(AddSample)
  addSample(@Payload() request: z.output<typeof AddSample.request>): Promise<z.input<typeof AddSample.reply>> {
    return this.edits.addSample(request);
  }

  @RpcHandler(RepairVersion)
  repair(@Payload() request: z.output<typeof RepairVersion.request>): Promise<z.input<typeof RepairVersion.reply>> {
    return this.edits.repair(request);
  }

  @RpcHandler(ImportDataset)
  import(@Payload() request: z.output<typeof ImportDataset.request>): Promise<z.input<typeof ImportDataset.reply>> {
    return this.edits.import(request);
  }

  @RpcHandler(CompareVersions)
  compare(@Payload() request: z.output<typeof CompareVersions.request>): Promise<z.input<typeof CompareVersions.reply>> {
    return this.compares.compare(request);
  }

  @RpcHandler(DownloadDataset)
  download(@Payload() request: z.output<typeof DownloadDataset.request>): Promise<z.input<typeof DownloadDataset.reply>> {
    return this.compares.download(request);
  }
}

/** Examples, issues and edits of versions. */
@Module({
  imports: [DatasetsModule, BlobsModule, QuotasModule],
  controllers: [ExamplesHandlers],
  providers: [ExamplesService, ExampleTexts, EditsService, CompareService],
  exports: [ExampleTexts],
})
export class ExamplesModule {}
