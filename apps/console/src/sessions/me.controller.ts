import { Body, Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ChangePassword, EndSessions, FindUser, NewPassword, Password } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bodyOf } from '../http/body.pipe.js';
import type { SignedIn } from './access-tokens.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { SessionAnswers } from './session-answers.js';
import { Asking, SessionGuard } from './session.guard.js';

const PasswordBody = z.object({ current: Password, next: NewPassword });

/** The session and password of the person who is signed in. What needs neither cookie nor limiter is in `CONSOLE_API`. */
@Controller('api')
@UseGuards(SessionGuard)
export class MeController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly answers: SessionAnswers,
    private readonly limiter: AttemptLimiter,
  ) {}

  @Get('me')
  async me(@Asking() { user, session, account, role, proof }: SignedIn): Promise<object> {
    return { ...(await this.rpc.withProof(proof).call(FindUser, { user })), session, account, role };
  }

  @Post('sign-out-everywhere')
  @HttpCode(200)
  async signOutEverywhere(
    @Asking() asking: SignedIn,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const ended = await this.rpc
      .withProof(asking.proof)
      .call(EndSessions, { user: asking.user, actor: this.answers.actorOf(request, asking) });
    this.answers.take(reply);
    return ended;
  }

  @Post('password')
  @HttpCode(200)
  changePassword(
    @Body(bodyOf(PasswordBody)) body: z.output<typeof PasswordBody>,
    @Asking() { user, session, proof }: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const origin = this.answers.originOf(request);
    this.limiter.admit(origin);
    return this.rpc.withProof(proof).call(ChangePassword, { ...body, user, session, origin });
  }
}
