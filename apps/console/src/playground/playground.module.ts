import { Module } from '@nestjs/common';
import { CONFIG, RpcClient } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { GatewayClient, PlaygroundProxy } from './playground-proxy.js';
import { SessionKeys } from './session-keys.js';

function doorOf(config: ConsoleConfig, rpc: RpcClient): PlaygroundProxy {
  const gateway = new GatewayClient(config.GATEWAY_URL ?? config.PUBLIC_BASE_URL);
  return new PlaygroundProxy({ keys: new SessionKeys(rpc), gateway, proxies: config.CONSOLE_PROXIES });
}

@Module({
  providers: [{ provide: PlaygroundProxy, useFactory: doorOf, inject: [CONFIG, RpcClient] }],
  exports: [PlaygroundProxy],
})
export class PlaygroundModule {}
