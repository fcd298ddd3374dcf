import { type DynamicModule, Module } from '@nestjs/common';
import { RpcClient } from '@slipway/platform';
import { ApiController, CLIENT_ADDRESSES, type ClientAddresses } from './api/api.controller.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { DashboardFiles } from './dashboard/dashboard-files.js';
import { BrowserCookie, ProviderCookie, RefreshCookie } from './http/console-cookie.js';
import { HealthController } from './http/health.controller.js';
import { SecurityTextController } from './http/security-text.controller.js';
import { HttpSettings } from './http/http-settings.js';
import { OidcController } from './oidc/oidc.controller.js';
import { OidcSignIn } from './oidc/oidc-sign-in.js';
import { MembersController } from './people/members.controller.js';
import { AttemptLimiter } from './sessions/attempt-limiter.js';
import { MeController } from './sessions/me.controller.js';
import { SessionAnswers } from './sessions/session-answers.js';
import { SessionGuard } from './sessions/session.guard.js';
import { SignInController } from './sessions/sign-in.controller.js';
import { SIGN_IN_WAYS, type SignInWays, WaysController } from './sessions/ways.controller.js';

/** What the HTTP door works with. */
export interface ConsoleRuntime {
  readonly rpc: RpcClient;
  readonly settings: HttpSettings;
  readonly limiter: AttemptLimiter;
  readonly refreshCookie: RefreshCookie;
  readonly browserCookie: BrowserCookie;
  readonly providerCookie: ProviderCookie;
  readonly oidc: OidcSignIn;
  readonly ways: SignInWays;
  readonly addresses: ClientAddresses;
  readonly files: DashboardFiles;
}

@Module({
  controllers: [
    HealthController,
    SecurityTextController,
    WaysController,
    SignInController,
    OidcController,
    MeController,
    MembersController,
    ApiController,
    DashboardController,
  ],
})
export class AppModule {
  static with({
    rpc,
    settings,
    limiter,
    refreshCookie,
    browserCookie,
    providerCookie,
    oidc,
    ways,
    addresses,
    files,
  }: ConsoleRuntime): DynamicModule {
    return {
      module: AppModule,
      providers: [
        SessionAnswers,
        SessionGuard,
        { provide: RpcClient, useValue: rpc },
        { provide: HttpSettings, useValue: settings },
        { provide: AttemptLimiter, useValue: limiter },
        { provide: RefreshCookie, useValue: refreshCookie },
        { provide: BrowserCookie, useValue: browserCookie },
        { provide: ProviderCookie, useValue: providerCookie },
        { provide: OidcSignIn, useValue: oidc },
        { provide: SIGN_IN_WAYS, useValue: ways },
        { provide: CLIENT_ADDRESSES, useValue: addresses },
        { provide: DashboardFiles, useValue: files },
      ],
    };
  }
}
