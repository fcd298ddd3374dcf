import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  AcceptInvitation,
  AccountSlug,
  Email,
  FindInvitation,
  LinkToken,
  Password,
  PersonName,
  RefreshSession,
  ServiceError,
  SignIn,
  SignOut,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AcceptsAnybody } from '../http/accepts.decorator.js';
import { bodyOf } from '../http/body.pipe.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { type SessionAnswer, SessionAnswers } from './session-answers.js';

const SignInBody = z.object({ email: Email, password: Password, account: AccountSlug.optional() });
const RefreshBody = z.object({ account: AccountSlug.optional(), attempt: RefreshSession.request.shape.attempt });
const LinkBody = z.object({ token: LinkToken });
const AcceptBody = LinkBody.extend({ email: Email.optional(), name: PersonName.optional(), password: Password });

/** The ways into the console and out of it. */
@Controller('api')
export class SignInController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly answers: SessionAnswers,
    private readonly limiter: AttemptLimiter,
  ) {}

  @Post('sign-in')
  @AcceptsAnybody()
  @HttpCode(200)
  async signIn(
    @Body(bodyOf(SignInBody)) body: z.output<typeof SignInBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    const origin = this.answers.originOf(request);
    this.limiter.admit(origin);
    return this.answers.give(reply, await this.rpc.call(SignIn, { ...body, ...this.answers.browserOf(request), origin }));
  }

  /** Exchanges the cookie for the next one and a new token. Without a session the cookie goes. */
  @Post('refresh')
  @AcceptsAnybody()
  @HttpCode(200)
  async refresh(
    @Body(bodyOf(RefreshBody)) body: z.output<typeof RefreshBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    const refreshToken = this.answers.refreshTokenOf(request);
    // The page tells apart who was never signed in here from whose session was ended.
    if (refreshToken === null) throw new ServiceError('session_ended', 'Sign in first.', { param: 'cookie' });
    try {
      const origin = this.answers.originOf(request);
      return this.answers.give(reply, await this.rpc.call(RefreshSession, { ...body, refresh_token: refreshToken, origin }));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'session_ended') this.answers.take(reply);
      throw error;
    }
  }

  @Post('sign-out')
  @AcceptsAnybody()
  @HttpCode(200)
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<{ signed_out: true }> {
    const refreshToken = this.answers.refreshTokenOf(request);
    if (refreshToken !== null) await this.rpc.call(SignOut, { refresh_token: refreshToken, origin: this.answers.originOf(request) });
    this.answers.take(reply);
    return { signed_out: true };
  }

  /** What a link invites to. The link's secret travels in the body: URLs end in logs. */
  @Post('invitations/find')
  @AcceptsAnybody()
  @HttpCode(200)
  async find(@Body(bodyOf(LinkBody)) body: z.output<typeof LinkBody>, @Req() request: FastifyRequest): Promise<object> {
    this.limiter.admit(this.answers.originOf(request));
    return this.rpc.call(FindInvitation, body);
  }

  /** Also for the first owner's link. */
  @Post('invitations/accept')
  @AcceptsAnybody()
  @HttpCode(200)
  async accept(
    @Body(bodyOf(AcceptBody)) body: z.output<typeof AcceptBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    const origin = this.answers.originOf(request);
    this.limiter.admit(origin);
    return this.answers.give(reply, await this.rpc.call(AcceptInvitation, { ...body, ...this.answers.browserOf(request), origin }));
  }
}
