import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateMcpKey, FindMcpKey, OpenMcpKey, RecordMcpUse, RotateMcpKey } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { keyView, obedience, shownKey } from './key-replies.js';
import { McpKeyOpening } from './mcp-key-opening.service.js';
import { McpKeysService } from './mcp-keys.service.js';

@Controller()
export class McpKeysHandlers {
  constructor(
    private readonly keys: McpKeysService,
    private readonly opening: McpKeyOpening,
  ) {}

  @RpcHandler(OpenMcpKey)
  open(@Payload() { value, scope = 'write' }: z.output<typeof OpenMcpKey.request>): Promise<z.input<typeof OpenMcpKey.reply>> {
    return this.opening.open(value, scope);
  }

  @RpcHandler(CreateMcpKey)
  async create(@Payload() { account, actor }: z.output<typeof CreateMcpKey.request>): Promise<z.input<typeof CreateMcpKey.reply>> {
    const created = await this.keys.create(account, actor);
    return { ...shownKey(created), ...obedience(created) };
  }

  @RpcHandler(FindMcpKey)
  async find(@Payload() { account }: z.output<typeof FindMcpKey.request>): Promise<z.input<typeof FindMcpKey.reply>> {
    const found = await this.keys.find(account);
    if (found === null) return { key: null };
    const { key, use } = found;
    return { key: { ...keyView(key), last_used_at: use?.usedAt.toISOString() ?? null }, last_client: use?.client ?? null };
  }

  @RpcHandler(RecordMcpUse)
  async recordUse(@Payload() request: z.output<typeof RecordMcpUse.request>): Promise<z.input<typeof RecordMcpUse.reply>> {
    await this.keys.recordUse(request.account, request.key, request.client);
    return {};
  }

  @RpcHandler(RotateMcpKey)
  async rotate(@Payload() { account, actor }: z.output<typeof RotateMcpKey.request>): Promise<z.input<typeof RotateMcpKey.reply>> {
    const rotated = await this.keys.rotate(account, actor);
    return { ...shownKey(rotated), ...obedience(rotated) };
  }
}
