import { Module } from '@nestjs/common';
import { CONFIG, LOG, type Logger, RpcClient, SLIPWAY_VERSION } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { HttpModule } from '../http/http.module.js';
import { OwnOrigin } from '../http/own-origin.js';
import { RequestBounds } from '../http/request-bounds.js';
import { McpEndpoints } from './mcp-endpoints.js';

function endpointsOf(...[config, rpc, log, own, bounds]: [ConsoleConfig, RpcClient, Logger, OwnOrigin, RequestBounds]): McpEndpoints {
  const { PUBLIC_BASE_URL: gateway, SLIPWAY_ENV: environment } = config;
  const addresses = { gatewayUrl: gateway.replace(/\/+$/, ''), consoleUrl: own.url, environment };
  return new McpEndpoints({ rpc, log, own, bounds, addresses, version: SLIPWAY_VERSION });
}

@Module({
  imports: [HttpModule],
  providers: [{ provide: McpEndpoints, useFactory: endpointsOf, inject: [CONFIG, RpcClient, LOG, OwnOrigin, RequestBounds] }],
  exports: [McpEndpoints],
})
export class McpModule {}
