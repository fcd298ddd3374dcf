import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import {
  AcceptInvitation,
  AccountSlug,
  type ConsoleSetup,
  Email,
  FindInvitation,
  FindSetup,
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
import { PublicRoute, bodyOf } from '../http/route-declarations.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { type SessionResponse, SessionResponses } from './session-responses.js';

/** Available ways to sign in. */
export interface SignInWays {
  readonly password: true;
  /** Label of the identity provider's button; null without a provider. */
  readonly identity_provider: string | null;
}

/** Injection token of `SignInWays`. */
export const SIGN_IN_WAYS = Symbol('SIGN_IN_WAYS');

/** Serves what the sign-in page must know beforehand. */
@Controller('api')
export class WaysController {
  #hasOwner = false;

  constructor(
    @Inject(SIGN_IN_WAYS) private readonly offered: SignInWays,
    private readonly rpc: RpcClient,
    private readonly responses: SessionResponses,
    private readonly limiter: AttemptLimiter,
  ) {}

  @Get('sign-in/ways')
  @PublicRoute()
  ways(): SignInWays {
    return this.offered;
  }

  /** Whether anyone can sign in yet. Remembered as soon as someone can. @throws ServiceError `rate_limit_exceeded` */
  @Get('set-up')
  @PublicRoute()
  async setup(@Req() request: FastifyRequest): Promise<ConsoleSetup> {
    if (!this.#hasOwner) {
      this.limiter.admit(this.responses.originOf(request));
      this.#hasOwner = (await this.rpc.call(FindSetup, {})).has_people;
    }
    return { has_owner: this.#hasOwner };
  }
}

const SignInBody = z.object({ email: Email, password: Password, account: AccountSlug.optional() });
const RefreshBody = z.object({ account: AccountSlug.optional(), attempt: RefreshSession.request.shape.attempt });
const LinkBody = z.object({ token: LinkToken });
const AcceptBody = LinkBody.extend({ email: Email.optional(), name: PersonName.optional(), password: Password });

/** Sign-in, refresh, sign-out and invitations. */
@Controller('api')
export class SignInController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly responses: SessionResponses,
    private readonly limiter: AttemptLimiter,
  ) {}

  @Post('sign-in')
  @PublicRoute()
  @HttpCode(200)
  async signIn(
    @Body(bodyOf(SignInBody)) body: z.output<typeof SignInBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const origin = this.responses.originOf(request);
    this.limiter.admit(origin);
    return this.responses.start(reply, await this.rpc.call(SignIn, { ...body, ...this.responses.browserOf(request), origin }));
  }

  /** Rotates the refresh token and returns a new session token. Removes the cookie when the session has ended. */
  @Post('refresh')
  @PublicRoute()
  @HttpCode(200)
  async refresh(
    @Body(bodyOf(RefreshBody)) body: z.output<typeof RefreshBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const refreshToken = this.responses.refreshTokenOf(request);
    // `param` lets the page distinguish a missing cookie from an ended session.
    if (refreshToken === null) throw new ServiceError('session_ended', 'Sign in first.', { param: 'cookie' });
    try {
      const origin = this.responses.originOf(request);
      return this.responses.start(reply, await this.rpc.call(RefreshSession, { ...body, refresh_token: refreshToken, origin }));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'session_ended') this.responses.end(reply);
      throw error;
    }
  }

  @Post('sign-out')
  @PublicRoute()
  @HttpCode(200)
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<{ signed_out: true }> {
    const refreshToken = this.responses.refreshTokenOf(request);
    if (refreshToken !== null) await this.rpc.call(SignOut, { refresh_token: refreshToken, origin: this.responses.originOf(request) });
    this.responses.end(reply);
    return { signed_out: true };
  }

  /** Shows an invitation. Its token is sent in the body, since URLs are logged. */
  @Post('invitations/find')
  @PublicRoute()
  @HttpCode(200)
  async find(@Body(bodyOf(LinkBody)) body: z.output<typeof LinkBody>, @Req() request: FastifyRequest): Promise<object> {
    this.limiter.admit(this.responses.originOf(request));
    return this.rpc.call(FindInvitation, body);
  }

  /** Accepts an invitation or the first owner's set-up link. */
  @Post('invitations/accept')
  @PublicRoute()
  @HttpCode(200)
  async accept(
    @Body(bodyOf(AcceptBody)) body: z.output<typeof AcceptBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionResponse> {
    const origin = this.responses.originOf(request);
    this.limiter.admit(origin);
    return this.responses.start(reply, await this.rpc.call(AcceptInvitation, { ...body, ...this.responses.browserOf(request), origin }));
  }
}
