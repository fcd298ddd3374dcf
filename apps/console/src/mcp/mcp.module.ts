import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import type { ConsoleMcp } from '@slipway/contracts';
import { CONFIG, LOG, type Logger, RpcClient, SLIPWAY_VERSION } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { HttpModule } from '../http/http.module.js';
import { OwnOrigin } from '../http/own-origin.js';
import { RequestBounds } from '../http/request-bounds.js';
import { SessionGuard } from '../sessions/access-tokens.js';
import { McpEndpoints } from './mcp-endpoints.js';
import { accessOf, TOOLS } from './tool-registry.js';

function endpointsOf(...[config, rpc, log, own, bounds]: [ConsoleConfig, RpcClient, Logger, OwnOrigin, RequestBounds]): McpEndpoints {
  const { PUBLIC_BASE_URL: gateway, SLIPWAY_ENV: environment } = config;
  const addresses = { gatewayUrl: gateway.replace(/\/+$/, ''), consoleUrl: own.url, environment };
  return new McpEndpoints({ rpc, log, own, bounds, addresses, version: SLIPWAY_VERSION });
}

/** What the dashboard shows of the MCP server. */
@Controller('api/mcp')
@UseGuards(SessionGuard)
class McpToolsController {
  constructor(private readonly own: OwnOrigin) {}

  @Get('tools')
  tools(): ConsoleMcp {
    const url = `${this.own.url}/mcp`;
    const tools = TOOLS.map((tool) => {
      const { name, title, description, hints } = tool;
      return { name, title, description, access: accessOf(tool), is_destructive: hints.isDestructive };
    });
    return { url, readonly_url: `${url}/readonly`, tools };
  }
}

@Module({
  imports: [HttpModule],
  controllers: [McpToolsController],
  providers: [{ provide: McpEndpoints, useFactory: endpointsOf, inject: [CONFIG, RpcClient, LOG, OwnOrigin, RequestBounds] }],
  exports: [McpEndpoints],
})
export class McpModule {}
