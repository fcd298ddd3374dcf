import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ChangePassword, type ConsoleAddresses, type ConsoleMe, EndSessions, FindUser, NewPassword, Password } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bodyOf } from '../http/route-declarations.js';
import { Caller, SessionGuard, type SignedIn } from './access-tokens.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { SessionResponses } from './session-responses.js';

/** Injection token of `ConsoleAddresses`. */
export const CLIENT_ADDRESSES = Symbol('CLIENT_ADDRESSES');

const PasswordBody = z.object({ current: Password, next: NewPassword });

/** Session and password of the signed-in person. Calls that need neither cookie nor limiter are in `CONSOLE_API`. */
@Controller('api')
@UseGuards(SessionGuard)
export class MeController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly responses: SessionResponses,
    private readonly limiter: AttemptLimiter,
    @Inject(CLIENT_ADDRESSES) private readonly addresses: ConsoleAddresses,
  ) {}

  @Get('me')
  async me(@Caller() { user, session, account, role, proof }: SignedIn): Promise<ConsoleMe> {
    const person = await this.rpc.withProof(proof).call(FindUser, { user });
    return { ...person, session, account, role, ...this.addresses };
  }

  @Post('sign-out-everywhere')
  @HttpCode(200)
  async signOutEverywhere(
    @Caller() caller: SignedIn,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const ended = await this.rpc
      .withProof(caller.proof)
      .call(EndSessions, { user: caller.user, actor: this.responses.actorOf(request, caller) });
    this.responses.end(reply);
    return ended;
  }

  @Post('password')
  @HttpCode(200)
  changePassword(
    @Body(bodyOf(PasswordBody)) body: z.output<typeof PasswordBody>,
    @Caller() { user, session, proof }: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const origin = this.responses.originOf(request);
    this.limiter.admit(origin);
    return this.rpc.withProof(proof).call(ChangePassword, { ...body, user, session, origin });
  }
}
