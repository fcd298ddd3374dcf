import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { DrainWorker, ListConnectedWorkers } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { PlacementModule } from '../placement/placement.module.js';
import { DrainedAgentsRepository } from './drained-agents.repository.js';
import { DrainedAgents } from './drained-agents.service.js';

@Controller()
class AgentsHandlers {
  constructor(private readonly drained: DrainedAgents) {}

  @RpcHandler(ListConnectedWorkers)
  list(@Payload() { after }: z.output<typeof ListConnectedWorkers.request>): Promise<z.input<typeof ListConnectedWorkers.reply>> {
    return this.drained.list(after);
  }

  @RpcHandler(DrainWorker)
  async drain(@Payload() request: z.output<typeof DrainWorker.request>): Promise<z.input<typeof DrainWorker.reply>> {
    return { worker: await this.drained.set(request) };
  }
}

/** The workers that are connected, and which of them are drained. */
@Module({
  imports: [PlacementModule],
  controllers: [AgentsHandlers],
  providers: [DrainedAgents, DrainedAgentsRepository],
  exports: [DrainedAgents],
})
export class AgentsModule {}
