import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CreateDeployment,
  DeleteDeployment,
  FindDeployment,
  ListDeployments,
  ResumeDeployment,
  ScaleDeployment,
  StopDeployment,
  UpdateDeployment,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { DeploymentCommandsService } from './deployment-commands.service.js';
import { DeploymentUpdatesService } from './deployment-updates.service.js';
import { DeploymentViewsService } from './deployment-views.service.js';
import { DeploymentsService } from './deployments.service.js';

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

@Controller()
export class DeploymentsHandlers {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly updates: DeploymentUpdatesService,
    private readonly commands: DeploymentCommandsService,
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

  @RpcHandler(FindDeployment)
  find(@Payload() request: Request<typeof FindDeployment>): Reply<typeof FindDeployment> {
    return this.views.find(request);
  }

  @RpcHandler(UpdateDeployment)
  update(@Payload() request: Request<typeof UpdateDeployment>): Reply<typeof UpdateDeployment> {
    return this.updates.update(request);
  }

  @RpcHandler(StopDeployment)
  stop(@Payload() request: Request<typeof StopDeployment>): Reply<typeof StopDeployment> {
    return this.commands.stop(request);
  }

  @RpcHandler(ResumeDeployment)
  resume(@Payload() request: Request<typeof ResumeDeployment>): Reply<typeof ResumeDeployment> {
    return this.commands.resume(request);
  }

  @RpcHandler(ScaleDeployment)
  scale(@Payload() request: Request<typeof ScaleDeployment>): Reply<typeof ScaleDeployment> {
    return this.commands.scale(request);
  }

  @RpcHandler(DeleteDeployment)
  delete(@Payload() request: Request<typeof DeleteDeployment>): Reply<typeof DeleteDeployment> {
    return this.commands.delete(request);
  }
}
