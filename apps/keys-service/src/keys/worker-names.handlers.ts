import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ExpelWorker, JoinWorker, ListWorkers, NameWorkers } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { JoinedWorkers } from './joined-workers.service.js';
import { WorkerNames } from './worker-names.service.js';

@Controller()
export class WorkerNamesHandlers {
  constructor(
    private readonly names: WorkerNames,
    private readonly joined: JoinedWorkers,
  ) {}

  @RpcHandler(JoinWorker)
  join(@Payload() request: z.output<typeof JoinWorker.request>): Promise<z.input<typeof JoinWorker.reply>> {
    return this.names.join(request);
  }

  @RpcHandler(NameWorkers)
  async name(@Payload() { wk, names }: z.output<typeof NameWorkers.request>): Promise<z.input<typeof NameWorkers.reply>> {
    return { identities: await this.names.name(wk, names) };
  }
  @RpcHandler(ListWorkers)
  list(@Payload() { after }: z.output<typeof ListWorkers.request>): Promise<z.input<typeof ListWorkers.reply>> {
    return this.joined.list(after ?? '');
  }

  @RpcHandler(ExpelWorker)
  async expel(@Payload() { wk, actor }: z.output<typeof ExpelWorker.request>): Promise<z.input<typeof ExpelWorker.reply>> {
    return { until: (await this.joined.expel(wk, actor)).toISOString() };
  }
}
