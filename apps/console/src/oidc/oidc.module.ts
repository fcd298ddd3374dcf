import { Module } from '@nestjs/common';
import { CONFIG, configured, RpcClient } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { ProviderCookie } from '../http/console-cookie.js';
import { HttpModule } from '../http/http.module.js';
import { OwnOrigin } from '../http/own-origin.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { IdentityProvider } from './identity-provider.js';
import { OidcSignIn } from './oidc-sign-in.js';
import { OidcController } from './oidc.controller.js';

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
