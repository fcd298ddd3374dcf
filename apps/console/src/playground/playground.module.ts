import { Module } from '@nestjs/common';
import { CONFIG, RpcClient } from '@slipway/platform';
import type { ConsoleConfig } from '../config.js';
import { GatewayClient } from './gateway-client.js';
import { PlaygroundDoor } from './playground-door.js';
import { SessionKeys } from './session-keys.js';

function doorOf(config: ConsoleConfig, rpc: RpcClient): PlaygroundDoor {
  const gateway = new GatewayClient(config.GATEWAY_URL ?? config.PUBLIC_BASE_URL);
  return new PlaygroundDoor({ keys: new SessionKeys(rpc), gateway, proxies: config.CONSOLE_PROXIES });
}

@Module({
  providers: [{ provide: PlaygroundDoor, useFactory: doorOf, inject: [CONFIG, RpcClient] }],
  exports: [PlaygroundDoor],
})
export class PlaygroundModule {}
