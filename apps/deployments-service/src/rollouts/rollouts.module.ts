import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AdvanceRollout, FindRollout, ListRollouts, PromoteRollout, RollBackRollout, StartRollout } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AliasesModule } from '../aliases/aliases.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { RolloutRounds } from './rollout-rounds.js';
import { RolloutSuites } from './rollout-suites.js';
import { RolloutsService } from './rollouts.service.js';
import { SideFigures } from './side-figures.js';

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

@Controller()
class RolloutsHandlers {
  constructor(private readonly rollouts: RolloutsService) {}

  @RpcHandler(StartRollout)
  start(@Payload() request: Request<typeof StartRollout>): Reply<typeof StartRollout> {
    return this.rollouts.start(request);
  }

  @RpcHandler(FindRollout)
  find(@Payload() request: Request<typeof FindRollout>): Reply<typeof FindRollout> {
    return this.rollouts.find(request);
  }

  @RpcHandler(ListRollouts)
  list(@Payload() request: Request<typeof ListRollouts>): Reply<typeof ListRollouts> {
    return this.rollouts.list(request);
  }

  @RpcHandler(AdvanceRollout)
  advance(@Payload() request: Request<typeof AdvanceRollout>): Reply<typeof AdvanceRollout> {
    return this.rollouts.advance(request);
  }

  @RpcHandler(PromoteRollout)
  promote(@Payload() request: Request<typeof PromoteRollout>): Reply<typeof PromoteRollout> {
    return this.rollouts.promote(request);
  }

  @RpcHandler(RollBackRollout)
  back(@Payload() request: Request<typeof RollBackRollout>): Reply<typeof RollBackRollout> {
    return this.rollouts.back(request);
  }
}

/** Rollouts of aliases: commands, views, and the rounds of their guard. */
@Module({
  imports: [QuotasModule, AliasesModule],
  controllers: [RolloutsHandlers],
  providers: [RolloutRounds, RolloutsService, RolloutSuites, SideFigures],
})
export class RolloutsModule {}
