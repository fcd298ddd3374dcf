import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateDeployment, ListDeployments } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { DeploymentViewsService } from './deployment-views.service.js';
import { DeploymentsService } from './deployments.service.js';

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

@Controller()
export class DeploymentsHandlers {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly views: DeploymentViewsService,
  ) {}

  @RpcHandler(CreateDeployment)
  create(@Payload() request: Request<typeof CreateDeployment>): Reply<typeof CreateDeployment> {
    return this.deployments.create(request);
  }

  @RpcHandler(ListDeployments)
  list(@Payload() request: Request<typeof ListDeployments>): Reply<typeof ListDeployments> {
    return this.views.list(request);
  }
}
