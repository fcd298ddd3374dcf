import { Module } from '@nestjs/common';
import { CONFIG, configured, LOG, type Logger, Readiness } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { HealthController } from './health.controller.js';
import { HttpSettings } from './http-settings.js';
import { OwnOrigin } from './own-origin.js';
import { RequestBounds } from './request-bounds.js';
import { SecurityTextController } from './security-text.controller.js';

/** Half of all connections, so that one address leaves room for others. Proxies in front are one address for all clients. */
const sharePerAddress = ({ CONSOLE_CONNECTIONS_MAX: max, CONSOLE_PROXIES: proxies }: ConsoleConfig): number =>
  proxies > 0 ? max : Math.ceil(max / 2);

function settingsOf(...[config, own, readiness, log]: [ConsoleConfig, OwnOrigin, Readiness, Logger]): HttpSettings {
  return new HttpSettings(own, log, config.CONSOLE_PROXIES, () => readiness.notReady(), config.SECURITY_CONTACT);
}

/** What every part of the HTTP door works with, and the routes that need no session. */
@Module({
  controllers: [HealthController, SecurityTextController],
  providers: [
    { provide: HttpSettings, useFactory: settingsOf, inject: [CONFIG, OwnOrigin, Readiness, LOG] },
    configured(
      OwnOrigin,
      ({ CONSOLE_BASE_URL: baseUrl, CONSOLE_HOST: host, CONSOLE_PORT: port }: ConsoleConfig) => new OwnOrigin({ baseUrl, host, port }),
    ),
    configured(
      RequestBounds,
      (config: ConsoleConfig) =>
        new RequestBounds({
          connectionsMax: config.CONSOLE_CONNECTIONS_MAX,
          connectionsPerAddress: config.CONSOLE_CONNECTIONS_PER_ADDRESS ?? sharePerAddress(config),
          bodiesBytesMax: config.CONSOLE_BODIES_BYTES_MAX,
        }),
    ),
  ],
  exports: [HttpSettings, OwnOrigin, RequestBounds],
})
export class HttpModule {}
