import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { QueryUsage } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { UsageQueries } from './usage-queries.service.js';

@Controller()
export class UsageHandlers {
  constructor(private readonly queries: UsageQueries) {}

  @RpcHandler(QueryUsage)
  query(@Payload() question: z.output<typeof QueryUsage.request>): Promise<z.input<typeof QueryUsage.reply>> {
    return this.queries.sums(question);
  }
}
