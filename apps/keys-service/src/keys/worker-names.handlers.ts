import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ExpelWorker, JoinWorker, ListWorkers, NameWorkers } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
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

  @RpcHandler(ListWorkers)
  async list(@Payload() { after }: z.output<typeof ListWorkers.request>): Promise<z.input<typeof ListWorkers.reply>> {
    const { agents, next } = await this.names.list(after ?? '');
    const workers = agents.map(({ expiresAt, expelledAt, ...agent }) => ({
      ...agent,
      expires_at: expiresAt.toISOString(),
      expelled_at: expelledAt?.toISOString() ?? null,
    }));
    return { workers, next };
  }

  @RpcHandler(ExpelWorker)
  async expel(@Payload() { wk, actor }: z.output<typeof ExpelWorker.request>): Promise<z.input<typeof ExpelWorker.reply>> {
    return { until: (await this.names.expel(wk, actor)).toISOString() };
  }
}
