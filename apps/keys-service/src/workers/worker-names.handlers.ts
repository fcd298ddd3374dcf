import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { JoinWorker, NameWorkers } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { WorkerNames } from './worker-names.service.js';

@Controller()
export class WorkerNamesHandlers {
  constructor(private readonly names: WorkerNames) {}

  @RpcHandler(JoinWorker)
  join(@Payload() request: z.output<typeof JoinWorker.request>): Promise<z.input<typeof JoinWorker.reply>> {
    return this.names.join(request);
  }

  @RpcHandler(NameWorkers)
  async name(@Payload() { wk, names }: z.output<typeof NameWorkers.request>): Promise<z.input<typeof NameWorkers.reply>> {
    return { identities: await this.names.name(wk, names) };
  }
}
