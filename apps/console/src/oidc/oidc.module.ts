import { Body, Controller, Get, HttpCode, Module, Post, Req, Res } from '@nestjs/common';
import { LinkToken } from '@slipway/contracts';
import { CONFIG, configured, RpcClient } from '@slipway/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ConsoleConfig } from '../config.js';
import { ProviderCookie } from '../http/console-cookie.js';
import { toServiceError } from '../http/http-errors.js';
import { HttpModule } from '../http/http.module.js';
import { OwnOrigin } from '../http/own-origin.js';
import { PublicRoute, bodyOf } from '../http/route-declarations.js';
import { AttemptLimiter } from '../sessions/attempt-limiter.js';
import { SessionResponses } from '../sessions/session-responses.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { IdentityProvider } from './identity-provider.js';
import { OidcSignIn } from './oidc-sign-in.js';

const StartBody = z.object({ invitation: LinkToken.optional() });
/** Longest time of a sign-in at the provider, in seconds. */
const TRANSACTION_S = 600;

/** Sign-in by an identity provider. */
@Controller('api/oidc')
class OidcController {
  constructor(
    private readonly signIn: OidcSignIn,
    private readonly responses: SessionResponses,
    private readonly limiter: AttemptLimiter,
    private readonly cookie: ProviderCookie,
  ) {}

  /** Returns the address of the provider's sign-in page. */
  @Post('start')
  @PublicRoute()
  @HttpCode(200)
  async start(
    @Body(bodyOf(StartBody)) { invitation }: z.output<typeof StartBody>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    this.limiter.admit(this.responses.originOf(request));
    const { url, remembered } = await this.signIn.begin(invitation);
    void reply.header('set-cookie', this.cookie.write(remembered, TRANSACTION_S));
    return { url };
  }

  /** Finishes a sign-in: redirects to the dashboard with a session, or with an error code. */
  @Get('callback')
  @PublicRoute()
  async callback(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('set-cookie', this.cookie.clear());
    try {
      const origin = this.responses.originOf(request);
      this.limiter.admit(origin);
      const tokens = await this.signIn.finish(request.url, this.cookie.read(request.headers), origin);
      this.responses.start(reply, tokens);
      void reply.redirect('/', 303);
    } catch (error) {
      const { code, cause } = toServiceError(error);
      request.line?.note({ error: code });
      if (cause !== undefined) request.line?.cause(cause);
      void reply.redirect(`/#sign-in-failed=${code}`, 303);
    }
  }
}

function signInOf(config: ConsoleConfig, rpc: RpcClient, own: OwnOrigin): OidcSignIn {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const isKnown = issuer !== undefined && clientId !== undefined;
  const settings = { clientSecret, scopes: config.OIDC_SCOPES, name: config.OIDC_NAME };
  return new OidcSignIn(isKnown ? new IdentityProvider({ issuer, clientId, ...settings }) : null, rpc, own);
}

@Module({
  imports: [HttpModule, SessionsModule],
  controllers: [OidcController],
  providers: [
    { provide: OidcSignIn, useFactory: signInOf, inject: [CONFIG, RpcClient, OwnOrigin] },
    configured(ProviderCookie, ({ CONSOLE_COOKIES: kind }: ConsoleConfig) => new ProviderCookie(kind)),
  ],
})
export class OidcModule {}
