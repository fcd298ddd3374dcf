import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CancelJob,
  CreateJob,
  FindJob,
  ListBases,
  ListCheckpoints,
  ListJobs,
  MeasureDataset,
  PauseJob,
  PlanJob,
  ReadJobEvents,
  ReadJobLog,
  ReadJobSamples,
  ReadMetrics,
  ResumeJob,
  SetJobPriority,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AdaptersModule } from '../adapters/adapters.module.js';
import { BlobsModule } from '../blobs/blobs.module.js';
import { DatasetsModule } from '../datasets/datasets.module.js';
import { MeasuresRepository } from '../measures/measures.repository.js';
import { MeasuresService } from '../measures/measures.service.js';
import { Assigner } from '../placement/assigner.js';
import { ImportRounds } from '../placement/import-rounds.js';
import { PlacementRounds } from '../placement/placement-rounds.js';
import { Placer } from '../placement/placer.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { TrainersModule } from '../trainers/trainers.module.js';
import { Checkpoints } from './checkpoints.js';
import { FollowUps } from './follow-ups.js';
import { JobPlans } from './job-plans.js';
import { JobReadsService } from './job-reads.service.js';
import { JobsRepository } from './jobs.repository.js';
import { JobsService } from './jobs.service.js';
import { RecordsRepository } from './records.repository.js';
import { TokenLimits } from './token-limits.js';

@Controller()
class JobsHandlers {
  constructor(private readonly jobs: JobsService) {}

  @RpcHandler(PlanJob)
  plan(@Payload() request: z.output<typeof PlanJob.request>): Promise<z.input<typeof PlanJob.reply>> {
    return this.jobs.plan(request);
  }

  @RpcHandler(CreateJob)
  create(@Payload() request: z.output<typeof CreateJob.request>): Promise<z.input<typeof CreateJob.reply>> {
    return this.jobs.create(request);
  }

  @RpcHandler(PauseJob)
  pause(@Payload() request: z.output<typeof PauseJob.request>): Promise<z.input<typeof PauseJob.reply>> {
    return this.jobs.pause(request);
  }

  @RpcHandler(ResumeJob)
  resume(@Payload() request: z.output<typeof ResumeJob.request>): Promise<z.input<typeof ResumeJob.reply>> {
    return this.jobs.resume(request);
  }

  @RpcHandler(CancelJob)
  cancel(@Payload() request: z.output<typeof CancelJob.request>): Promise<z.input<typeof CancelJob.reply>> {
    return this.jobs.cancel(request);
  }

  @RpcHandler(SetJobPriority)
  setPriority(@Payload() request: z.output<typeof SetJobPriority.request>): Promise<z.input<typeof SetJobPriority.reply>> {
    return this.jobs.setPriority(request);
  }

  @RpcHandler(ListJobs)
  list(@Payload() request: z.output<typeof ListJobs.request>): Promise<z.input<typeof ListJobs.reply>> {
    return this.jobs.list(request);
  }

  @RpcHandler(FindJob)
  find(@Payload() request: z.output<typeof FindJob.request>): Promise<z.input<typeof FindJob.reply>> {
    return this.jobs.find(request);
  }
}

@Controller()
class JobReadsHandlers {
  constructor(
    private readonly reads: JobReadsService,
    private readonly measures: MeasuresService,
  ) {}

  @RpcHandler(ReadMetrics)
  metrics(@Payload() request: z.output<typeof ReadMetrics.request>): Promise<z.input<typeof ReadMetrics.reply>> {
    return this.reads.metrics(request);
  }

  @RpcHandler(ReadJobEvents)
  events(@Payload() request: z.output<typeof ReadJobEvents.request>): Promise<z.input<typeof ReadJobEvents.reply>> {
    return this.reads.events(request);
  }

  @RpcHandler(ReadJobLog)
  log(@Payload() request: z.output<typeof ReadJobLog.request>): Promise<z.input<typeof ReadJobLog.reply>> {
    return this.reads.log(request);
  }

  @RpcHandler(ReadJobSamples)
  samples(@Payload() request: z.output<typeof ReadJobSamples.request>): Promise<z.input<typeof ReadJobSamples.reply>> {
    return this.reads.samples(request);
  }

  @RpcHandler(ListCheckpoints)
  checkpoints(@Payload() request: z.output<typeof ListCheckpoints.request>): Promise<z.input<typeof ListCheckpoints.reply>> {
    return this.reads.checkpoints(request);
  }

  @RpcHandler(ListBases)
  bases(): z.input<typeof ListBases.reply> {
    return this.measures.bases();
  }

  @RpcHandler(MeasureDataset)
  measure(@Payload() request: z.output<typeof MeasureDataset.request>): Promise<z.input<typeof MeasureDataset.reply>> {
    return this.measures.measure(request);
  }
}

/** Training jobs, what they report, and their placement on training workers. */
@Module({
  imports: [AdaptersModule, DatasetsModule, BlobsModule, QuotasModule, TrainersModule],
  controllers: [JobsHandlers, JobReadsHandlers],
  providers: [
    ...[JobPlans, JobsRepository, JobsService, JobReadsService, RecordsRepository, Checkpoints, MeasuresRepository, MeasuresService],
    ...[Assigner, ImportRounds, PlacementRounds, Placer, FollowUps, TokenLimits],
  ],
  exports: [JobsRepository, RecordsRepository, Checkpoints, MeasuresRepository, TokenLimits],
})
export class JobsModule {}
