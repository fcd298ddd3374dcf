import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { LinkToken } from '@slipway/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AcceptsAnybody } from '../http/accepts.decorator.js';
import { bodyOf } from '../http/body.pipe.js';
import { ProviderCookie } from '../http/console-cookie.js';
import { toServiceError } from '../http/error-answer.js';
import { AttemptLimiter } from '../sessions/attempt-limiter.js';
import { SessionAnswers } from '../sessions/session-answers.js';
import { OidcSignIn } from './oidc-sign-in.js';

const StartBody = z.object({ invitation: LinkToken.optional() });
/** Time to sign in at the provider, in seconds. */
const TRANSACTION_S = 600;

/** Sign-in by an identity provider. */
@Controller('api/oidc')
export class OidcController {
  constructor(
    private readonly signIn: OidcSignIn,
    private readonly answers: SessionAnswers,
    private readonly limiter: AttemptLimiter,
    private readonly cookie: ProviderCookie,
  ) {}

  /** Tells the page where to send the browser. */
  @Post('start')
  @AcceptsAnybody()
  @HttpCode(200)
  async start(
    @Body(bodyOf(StartBody)) { invitation }: z.output<typeof StartBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    this.limiter.admit(this.answers.originOf(request));
    const { url, remembered } = await this.signIn.begin(invitation);
    void reply.header('set-cookie', this.cookie.write(remembered, TRANSACTION_S));
    return { url };
  }

  /** The provider sends the browser here: it leaves with a session, or with the reason why there is none. */
  @Get('callback')
  @AcceptsAnybody()
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('set-cookie', this.cookie.clear());
    try {
      const origin = this.answers.originOf(request);
      this.limiter.admit(origin);
      const tokens = await this.signIn.finish(request.url, this.cookie.read(request.headers), origin);
      this.answers.give(reply, tokens);
      void reply.redirect('/', 303);
    } catch (error) {
      const { code, cause } = toServiceError(error);
      request.line?.note({ error: code });
      if (cause !== undefined) request.line?.cause(cause);
      void reply.redirect(`/#sign-in-failed=${code}`, 303);
    }
  }
}
