import { Body, Controller, Get, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import { type AccountId, ListDeployments, ListModels, type RpcContract } from '@slipway/contracts';
import { type ListCaller, allDeployments, allModels, RpcClient } from '@slipway/platform';
import type { FastifyRequest } from 'fastify';
import type { SignedIn } from '../sessions/access-tokens.js';
import { SessionAnswers } from '../sessions/session-answers.js';
import { Asking, SessionGuard } from '../sessions/session.guard.js';
import { callOf, requestOf } from './api-call.js';

/** What people paste into their programs, and where it holds. */
export interface ClientAddresses {
  /** Where the inference API is called; without a path. */
  readonly gateway_url: string;
  /** Keys open nothing in another one. */
  readonly environment: string;
}

export const CLIENT_ADDRESSES = Symbol('CLIENT_ADDRESSES');

type WholeList = (rpc: ListCaller, account: AccountId) => Promise<object>;

/** Lists that come from services in pages, and that the dashboard gets whole: HTTP bounds no answer. */
const WHOLE = new Map<RpcContract, WholeList>([
  [ListDeployments, allDeployments],
  [ListModels, allModels],
]);

/** The dashboard's way to the services: the calls of `CONSOLE_API`, on behalf of who is signed in. */
@Controller('api')
@UseGuards(SessionGuard)
export class ApiController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly answers: SessionAnswers,
    @Inject(CLIENT_ADDRESSES) private readonly addresses: ClientAddresses,
  ) {}

  @Get('addresses')
  clientAddresses(): ClientAddresses {
    return this.addresses;
  }

  @Post(':service/:method')
  @HttpCode(200)
  call(
    @Param() { service, method }: { readonly service: string; readonly method: string },
    @Body() body: unknown,
    @Asking() asking: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const call = callOf(`${service}/${method}`, asking.role);
    const checked = requestOf(call, body, asking, this.answers.actorOf(request, asking));
    const rpc = this.rpc.withProof(asking.proof);
    return WHOLE.get(call.rpc)?.(rpc, asking.account) ?? rpc.call(call.rpc, checked);
  }
}
