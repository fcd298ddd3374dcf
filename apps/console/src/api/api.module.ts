import { Body, Controller, Get, HttpCode, Inject, Module, Param, Post, Req, UseGuards } from '@nestjs/common';
import {
  type AccountId,
  type ConsoleAddresses,
  type ConsoleStatus,
  ListDeployments,
  ListModels,
  type RpcContract,
} from '@slipway/contracts';
import { allDeployments, allModels, configured, type ListCaller, RpcClient } from '@slipway/platform';
import type { FastifyRequest } from 'fastify';
import type { ConsoleConfig } from '../config.js';
import { HttpModule } from '../http/http.module.js';
import { Caller, SessionGuard, type SignedIn } from '../sessions/access-tokens.js';
import { CLIENT_ADDRESSES } from '../sessions/me.controller.js';
import { SessionResponses } from '../sessions/session-responses.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { callOf, requestOf } from './api-call.js';
import { ServiceStatus } from './service-status.js';

type WholeList = (rpc: ListCaller, account: AccountId) => Promise<object>;

/** Lists that services return in pages and the dashboard gets as a whole. */
const WHOLE = new Map<RpcContract, WholeList>([
  [ListDeployments, allDeployments],
  [ListModels, allModels],
]);

/** The private API of the dashboard: the calls of `CONSOLE_API`, on behalf of the signed-in person. */
@Controller('api')
@UseGuards(SessionGuard)
class ApiController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly responses: SessionResponses,
    @Inject(CLIENT_ADDRESSES) private readonly addresses: ConsoleAddresses,
    private readonly status: ServiceStatus,
  ) {}

  @Get('addresses')
  clientAddresses(): ConsoleAddresses {
    return this.addresses;
  }

  /** Which parts of Slipway answer. */
  @Get('status')
  systemStatus(@Caller() { proof, account }: SignedIn): Promise<ConsoleStatus> {
    return this.status.read(this.rpc.withProof(proof), account);
  }

  @Post(':service/:method')
  @HttpCode(200)
  call(
    @Param() { service, method }: { readonly service: string; readonly method: string },
    @Body() body: unknown,
    @Caller() caller: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const call = callOf(`${service}/${method}`, caller.role);
    const checked = requestOf(call, body, caller, this.responses.actorOf(request, caller));
    const rpc = this.rpc.withProof(caller.proof);
    return WHOLE.get(call.rpc)?.(rpc, caller.account) ?? rpc.call(call.rpc, checked);
  }
}

/** Serves the private API of the dashboard. */
@Module({
  imports: [HttpModule, SessionsModule],
  controllers: [ApiController],
  providers: [
    configured(ServiceStatus, ({ GATEWAY_URL: gateway, PUBLIC_BASE_URL: url }: ConsoleConfig) => new ServiceStatus(gateway ?? url)),
  ],
})
export class ApiModule {}
