import { AccountTransactions } from '@slipway/database';
import { Controller, Injectable, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListDeploymentEvents } from '@slipway/contracts';
import { idOf, pageOf } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { deploymentNotFound, DeploymentsRepository } from '../deployments/deployments.repository.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { EventsRepository } from './events.repository.js';

const DEFAULT_LIMIT = 50;

type Request = z.output<typeof ListDeploymentEvents.request>;
type Reply = z.input<typeof ListDeploymentEvents.reply>;

/** Lists what happened to deployments. */
@Injectable()
class DeploymentEventsService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly events: EventsRepository,
  ) {}

  async list({ account, deployment, before, limit = DEFAULT_LIMIT }: Request): Promise<Reply> {
    const rows = await this.transactions.read(account, async (connection) => {
      if (deployment !== undefined && !(await this.deployments.find(connection, account, deployment))) throw deploymentNotFound();
      const query = { deployment: deployment ?? null, before: before ?? null, limit: limit + 1 };
      return this.events.page(connection, account, query);
    });
    const { items: events, next } = pageOf(rows, limit, idOf);
    return { events, next };
  }
}

@Controller()
class EventsHandlers {
  constructor(private readonly events: DeploymentEventsService) {}

  @RpcHandler(ListDeploymentEvents)
  list(@Payload() request: Request): Promise<Reply> {
    return this.events.list(request);
  }
}

@Module({
  imports: [QuotasModule, PlacementModule, DeploymentsModule],
  controllers: [EventsHandlers],
  providers: [DeploymentEventsService],
})
export class EventsModule {}
