import { Module } from '@nestjs/common';
import { defineService } from '@slipway/platform';
import { followedProofs } from '@slipway/proof';
import { ApiModule } from './api/api.module.js';
import { ConsoleConfig } from './config.js';
import { DashboardModule } from './dashboard/dashboard.module.js';
import { consoleDoor } from './http/http-door.js';
import { HttpModule } from './http/http.module.js';
import { RequestGate } from './http/request-gate.js';
import { McpModule } from './mcp/mcp.module.js';
import { OidcModule } from './oidc/oidc.module.js';
import { PlaygroundModule } from './playground/playground.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { TransfersModule } from './transfers/transfers.module.js';

@Module({
  imports: [HttpModule, SessionsModule, OidcModule, ApiModule, McpModule, PlaygroundModule, TransfersModule, DashboardModule],
  providers: [RequestGate],
})
class ConsoleModule {}

/** The dashboard, its private API, the playground and the MCP server. */
export const consoleService = defineService({
  name: 'console',
  role: 'console',
  config: ConsoleConfig,
  module: ConsoleModule,
  resources: [followedProofs({ missing: 'ended sessions are not known' })],
  http: consoleDoor,
});
