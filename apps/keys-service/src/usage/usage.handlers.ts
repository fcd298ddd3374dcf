import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CompareDeployments, FindRequest, QueryBudgets, QueryUsage, RecallLimitUse } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { UsageComparisons } from './comparisons.service.js';
import { LimitUseMemory } from './limit-use-memory.js';
import { UsageQueries } from './queries.service.js';

@Controller()
export class UsageHandlers {
  constructor(
    private readonly queries: UsageQueries,
    private readonly comparisons: UsageComparisons,
    private readonly memory: LimitUseMemory,
  ) {}

  @RpcHandler(QueryUsage)
  query(@Payload() question: z.output<typeof QueryUsage.request>): Promise<z.input<typeof QueryUsage.reply>> {
    return this.queries.sums(question);
  }

  @RpcHandler(CompareDeployments)
  compare(@Payload() question: z.output<typeof CompareDeployments.request>): Promise<z.input<typeof CompareDeployments.reply>> {
    return this.comparisons.of(question);
  }

  @RpcHandler(FindRequest)
  request(@Payload() question: z.output<typeof FindRequest.request>): Promise<z.input<typeof FindRequest.reply>> {
    return this.queries.request(question);
  }

  @RpcHandler(QueryBudgets)
  budgets(@Payload() question: z.output<typeof QueryBudgets.request>): Promise<z.input<typeof QueryBudgets.reply>> {
    return this.queries.budgets(question);
  }

  @RpcHandler(RecallLimitUse)
  recall(): z.input<typeof RecallLimitUse.reply> {
    return { holders: this.memory.recent(performance.now()) };
  }
}
