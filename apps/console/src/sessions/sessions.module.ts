import { Module } from '@nestjs/common';
import type { ConsoleAddresses } from '@slipway/contracts';
import { configured, SLIPWAY_VERSION } from '@slipway/platform';
import { ProofReader } from '@slipway/proof';
import type { ConsoleConfig } from '../config.js';
import { BrowserCookie, RefreshCookie } from '../http/console-cookie.js';
import { HttpModule } from '../http/http.module.js';
import { AccessTokens, SessionGuard } from './access-tokens.js';
import { AttemptLimiter } from './attempt-limiter.js';
import { CLIENT_ADDRESSES, MeController } from './me.controller.js';
import { SessionResponses } from './session-responses.js';
import { SIGN_IN_WAYS, SignInController, WaysController } from './sign-in.controller.js';

@Module({
  imports: [HttpModule],
  controllers: [WaysController, SignInController, MeController],
  providers: [
    SessionResponses,
    SessionGuard,
    { provide: AccessTokens, useFactory: (proofs: ProofReader) => new AccessTokens(proofs), inject: [ProofReader] },
    configured(AttemptLimiter, ({ SIGN_INS_PER_MIN: perMinute }: ConsoleConfig) => new AttemptLimiter(perMinute)),
    configured(RefreshCookie, ({ CONSOLE_COOKIES: kind }: ConsoleConfig) => new RefreshCookie(kind)),
    configured(BrowserCookie, ({ CONSOLE_COOKIES: kind }: ConsoleConfig) => new BrowserCookie(kind)),
    configured(CLIENT_ADDRESSES, ({ PUBLIC_BASE_URL: url, SLIPWAY_ENV: environment }: ConsoleConfig): ConsoleAddresses => ({
      gateway_url: url.replace(/\/+$/, ''),
      environment,
      version: SLIPWAY_VERSION,
    })),
    configured(SIGN_IN_WAYS, ({ OIDC_ISSUER: issuer, OIDC_NAME: name }: ConsoleConfig) => ({
      password: true,
      identity_provider: issuer === undefined ? null : name,
    })),
  ],
  exports: [CLIENT_ADDRESSES, AccessTokens, AttemptLimiter, SessionResponses, SessionGuard],
})
export class SessionsModule {}
