import { Module } from '@nestjs/common';
import { CONFIG, LOG, type Logger, RpcClient, SLIPWAY_VERSION } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { HttpModule } from '../http/http.module.js';
import { OwnOrigin } from '../http/own-origin.js';
import { RequestBounds } from '../http/request-bounds.js';
import { McpDoor } from './mcp-door.js';

function doorOf(...[config, rpc, log, own, bounds]: [ConsoleConfig, RpcClient, Logger, OwnOrigin, RequestBounds]): McpDoor {
  const { PUBLIC_BASE_URL: gateway, SLIPWAY_ENV: environment } = config;
  const addresses = { gatewayUrl: gateway.replace(/\/+$/, ''), consoleUrl: own.url, environment };
  return new McpDoor({ rpc, log, own, bounds, addresses, version: SLIPWAY_VERSION });
}

@Module({
  imports: [HttpModule],
  providers: [{ provide: McpDoor, useFactory: doorOf, inject: [CONFIG, RpcClient, LOG, OwnOrigin, RequestBounds] }],
  exports: [McpDoor],
})
export class McpModule {}
