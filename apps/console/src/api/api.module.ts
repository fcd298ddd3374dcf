import { Module } from '@nestjs/common';
import { configured } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { HttpModule } from '../http/http.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ApiController, CLIENT_ADDRESSES, type ClientAddresses } from './api.controller.js';

/** The private API of the dashboard's pages. */
@Module({
  imports: [HttpModule, SessionsModule],
  controllers: [ApiController],
  providers: [
    configured(CLIENT_ADDRESSES, ({ PUBLIC_BASE_URL: url, SLIPWAY_ENV: environment }: ConsoleConfig): ClientAddresses => ({
      gateway_url: url.replace(/\/+$/, ''),
      environment,
    })),
  ],
})
export class ApiModule {}
