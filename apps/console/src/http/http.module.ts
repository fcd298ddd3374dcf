import { Controller, Get, Module, Res } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { CONFIG, configured, LOG, type Logger, Readiness, securityText } from '@slipway/platform';
import type { FastifyReply } from 'fastify';
import type { ConsoleConfig } from '../config.js';
import { OwnOrigin } from './own-origin.js';
import { RequestBounds } from './request-bounds.js';
import { PublicRoute } from './route-declarations.js';

/** Settings of the HTTP server. */
export class HttpSettings {
  constructor(
    readonly own: OwnOrigin,
    readonly log: Logger,
    /** Number of trusted proxies that append to X-Forwarded-For. */
    readonly proxies: number,
    /** Why the console must not get requests; null when it is ready. */
    readonly notReady: () => string | null,
    /** Contact for security reports; undefined = none. */
    readonly securityContact: string | undefined,
  ) {}
}

/** Health checks of load balancers: live while the event loop runs, ready while requests can be served. */
@Controller()
class HealthController {
  constructor(private readonly settings: HttpSettings) {}

  @Get('livez')
  @PublicRoute()
  live(@Res() reply: FastifyReply): void {
    sendHealth(reply, null);
  }

  @Get('readyz')
  @PublicRoute()
  ready(@Res() reply: FastifyReply): void {
    sendHealth(reply, this.settings.notReady());
  }
}

function sendHealth(reply: FastifyReply, fault: string | null): void {
  void reply
    .code(fault === null ? 200 : 503)
    .header('content-type', 'text/plain; charset=utf-8')
    .send(fault ?? 'ok');
}

/** Serves the contact for security reports. */
@Controller()
class SecurityTextController {
  constructor(private readonly settings: HttpSettings) {}

  /** @throws ServiceError `not_found` if no contact is configured */
  @Get('.well-known/security.txt')
  @PublicRoute()
  read(@Res() reply: FastifyReply): void {
    const { securityContact } = this.settings;
    if (securityContact === undefined) throw new ServiceError('not_found', 'No contact for security reports is configured.');
    void reply.header('content-type', 'text/plain; charset=utf-8').send(securityText(securityContact));
  }
}

/** Half of all connections, so that one address cannot take them all. Behind proxies all clients share one address. */
const sharePerAddress = ({ CONSOLE_CONNECTIONS_MAX: max, CONSOLE_PROXIES: proxies }: ConsoleConfig): number =>
  proxies > 0 ? max : Math.ceil(max / 2);

function settingsOf(...[config, own, readiness, log]: [ConsoleConfig, OwnOrigin, Readiness, Logger]): HttpSettings {
  return new HttpSettings(own, log, config.CONSOLE_PROXIES, () => readiness.notReady(), config.SECURITY_CONTACT);
}

/** Settings and bounds of the HTTP server, and the routes that need no session. */
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
