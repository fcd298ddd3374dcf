import { AccountTransactions } from '@slipway/database';
import { Controller, Injectable, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type DeploymentLoad, ListDeploymentLoads } from '@slipway/contracts';
import { pageOf } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { DeploymentsModule } from '../deployments/deployments.module.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { PlacementModule } from '../placement/placement.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { LoadListener } from './load-listener.js';
import { LoadTable } from './load-table.js';

const PAGE_ROWS = 4_000;

type Request = z.output<typeof ListDeploymentLoads.request>;
type Reply = z.input<typeof ListDeploymentLoads.reply>;

/** Lists the present load of deployments. */
@Injectable()
class DeploymentLoadsService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly table: LoadTable,
  ) {}

  async list({ account, deployment, after }: Request): Promise<Reply> {
    const rows = await this.transactions.read(account, (connection) =>
      this.deployments.capacities(connection, account, { deployment: deployment ?? null, after: after ?? 0, limit: PAGE_ROWS + 1 }),
    );
    const now = Date.now();
    const views = rows.map(({ id, slots }): DeploymentLoad => {
      const { inFlight, queued, gateways, ageMs } = this.table.of(id);
      return { deployment: id, in_flight: inFlight, queued, slots, gateways, as_of: new Date(now - ageMs).toISOString() };
    });
    const page = pageOf(views, PAGE_ROWS, (load) => load.deployment);
    return { loads: page.items, next: page.next };
  }
}

@Controller()
class LoadHandlers {
  constructor(private readonly loads: DeploymentLoadsService) {}

  @RpcHandler(ListDeploymentLoads)
  list(@Payload() request: Request): Promise<Reply> {
    return this.loads.list(request);
  }
}

/** The present load of deployments, as gateways report it. */
@Module({
  imports: [QuotasModule, DeploymentsModule, PlacementModule],
  controllers: [LoadHandlers],
  providers: [DeploymentLoadsService, LoadListener],
})
export class LoadModule {}
