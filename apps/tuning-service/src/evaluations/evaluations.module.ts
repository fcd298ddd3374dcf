import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CancelEvaluation,
  CreateEvaluation,
  CreateSuite,
  DeleteEvaluation,
  DeleteSuite,
  EvaluateRollout,
  FindEvaluation,
  FindSuite,
  ListEvaluations,
  ListSuites,
  ReadBlindPairs,
  ReadEvaluationItems,
  SetSuiteGate,
  VoteEvaluationItem,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { BlobsModule } from '../blobs/blobs.module.js';
import { DatasetsModule } from '../datasets/datasets.module.js';
import { ExamplesModule } from '../examples/examples.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { AnswersRepository } from './answers.repository.js';
import { EvaluationKeys } from './evaluation-keys.js';
import { EvaluationReadsService } from './evaluation-reads.service.js';
import { EvaluationRun } from './evaluation-run.js';
import { EvaluationsRepository } from './evaluations.repository.js';
import { EvaluationsService } from './evaluations.service.js';
import { GatewayClient } from './gateway-client.js';
import { Grading } from './grading.js';
import { RolloutEvaluations } from './rollout-evaluations.js';
import { SuitesRepository } from './suites.repository.js';
import { SuitesService } from './suites.service.js';

@Controller()
class SuitesHandlers {
  constructor(private readonly suites: SuitesService) {}

  @RpcHandler(CreateSuite)
  create(@Payload() request: z.output<typeof CreateSuite.request>): Promise<z.input<typeof CreateSuite.reply>> {
    return this.suites.create(request);
  }

  @RpcHandler(ListSuites)
  list(@Payload() request: z.output<typeof ListSuites.request>): Promise<z.input<typeof ListSuites.reply>> {
    return this.suites.list(request);
  }

  @RpcHandler(FindSuite)
  find(@Payload() request: z.output<typeof FindSuite.request>): Promise<z.input<typeof FindSuite.reply>> {
    return this.suites.find(request);
  }

  @RpcHandler(SetSuiteGate)
  setGate(@Payload() request: z.output<typeof SetSuiteGate.request>): Promise<z.input<typeof SetSuiteGate.reply>> {
    return this.suites.setGate(request);
  }

  @RpcHandler(DeleteSuite)
  delete(@Payload() request: z.output<typeof DeleteSuite.request>): Promise<z.input<typeof DeleteSuite.reply>> {
    return this.suites.delete(request);
  }
}

@Controller()
class EvaluationsHandlers {
  constructor(
    private readonly evaluations: EvaluationsService,
    private readonly reads: EvaluationReadsService,
    private readonly rollouts: RolloutEvaluations,
  ) {}

  @RpcHandler(CreateEvaluation)
  create(@Payload() request: z.output<typeof CreateEvaluation.request>): Promise<z.input<typeof CreateEvaluation.reply>> {
    return this.evaluations.create(request);
  }

  @RpcHandler(ListEvaluations)
  list(@Payload() request: z.output<typeof ListEvaluations.request>): Promise<z.input<typeof ListEvaluations.reply>> {
    return this.evaluations.list(request);
  }

  @RpcHandler(FindEvaluation)
  find(@Payload() request: z.output<typeof FindEvaluation.request>): Promise<z.input<typeof FindEvaluation.reply>> {
    return this.evaluations.find(request);
  }

  @RpcHandler(CancelEvaluation)
  cancel(@Payload() request: z.output<typeof CancelEvaluation.request>): Promise<z.input<typeof CancelEvaluation.reply>> {
    return this.evaluations.cancel(request);
  }

  @RpcHandler(DeleteEvaluation)
  delete(@Payload() request: z.output<typeof DeleteEvaluation.request>): Promise<z.input<typeof DeleteEvaluation.reply>> {
    return this.evaluations.delete(request);
  }

  @RpcHandler(EvaluateRollout)
  evaluateRollout(@Payload() request: z.output<typeof EvaluateRollout.request>): Promise<z.input<typeof EvaluateRollout.reply>> {
    return this.rollouts.evaluate(request);
  }

  @RpcHandler(ReadEvaluationItems)
  items(@Payload() request: z.output<typeof ReadEvaluationItems.request>): Promise<z.input<typeof ReadEvaluationItems.reply>> {
    return this.reads.items(request);
  }

  @RpcHandler(ReadBlindPairs)
  pairs(@Payload() request: z.output<typeof ReadBlindPairs.request>): Promise<z.input<typeof ReadBlindPairs.reply>> {
    return this.reads.pairs(request);
  }

  @RpcHandler(VoteEvaluationItem)
  vote(@Payload() request: z.output<typeof VoteEvaluationItem.request>): Promise<z.input<typeof VoteEvaluationItem.reply>> {
    return this.reads.vote(request);
  }
}

/** Suites, and evaluations of deployments by them. */
@Module({
  imports: [DatasetsModule, ExamplesModule, BlobsModule, QuotasModule],
  controllers: [SuitesHandlers, EvaluationsHandlers],
  providers: [
    ...[SuitesRepository, SuitesService, EvaluationsRepository, EvaluationsService, AnswersRepository, EvaluationReadsService],
    ...[EvaluationKeys, GatewayClient, Grading, EvaluationRun, RolloutEvaluations],
  ],
  exports: [EvaluationsRepository, EvaluationRun, Grading],
})
export class EvaluationsModule {}
