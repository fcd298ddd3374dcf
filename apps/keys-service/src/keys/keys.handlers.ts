import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateKey, ListKeys, RenameKey, RevokeKey, RotateKey, SetKeyDeployments, SetKeyLimits } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { keyView, obedience, shownKey } from './key-replies.js';
import { UsageQueries } from '../usage/queries.service.js';
import { KeysService } from './keys.service.js';

@Controller()
export class KeysHandlers {
  constructor(
    private readonly keys: KeysService,
    private readonly usage: UsageQueries,
  ) {}

  @RpcHandler(CreateKey)
  async create(
    @Payload() { expires_at: expiry, actor, ...wish }: z.output<typeof CreateKey.request>,
  ): Promise<z.input<typeof CreateKey.reply>> {
    const created = await this.keys.create({ ...wish, expiresAt: expiry === undefined ? null : new Date(expiry) }, actor);
    return { ...shownKey(created), ...obedience(created) };
  }

  @RpcHandler(ListKeys)
  async list(@Payload() { account, before }: z.output<typeof ListKeys.request>): Promise<z.input<typeof ListKeys.reply>> {
    const { items, next } = await this.keys.list(account, before ?? null);
    const uses = await this.usage.lastUsed(items.map(({ id }) => id));
    const playground = before === undefined ? { playground: await this.keys.playgroundKeys(account) } : {};
    return { keys: items.map((key) => ({ ...keyView(key), last_used_at: uses.get(key.id)?.toISOString() ?? null })), next, ...playground };
  }

  @RpcHandler(RenameKey)
  async rename(@Payload() { name, actor, ...address }: z.output<typeof RenameKey.request>): Promise<z.input<typeof RenameKey.reply>> {
    return keyView(await this.keys.rename(address, name, actor));
  }

  @RpcHandler(RotateKey)
  async rotate(
    @Payload() { expires_at: expiry, actor, ...address }: z.output<typeof RotateKey.request>,
  ): Promise<z.input<typeof RotateKey.reply>> {
    const rotated = await this.keys.rotate(address, typeof expiry === 'string' ? new Date(expiry) : expiry, actor);
    return { ...shownKey(rotated), ...obedience(rotated) };
  }

  @RpcHandler(RevokeKey)
  async revoke(@Payload() { actor, ...address }: z.output<typeof RevokeKey.request>): Promise<z.input<typeof RevokeKey.reply>> {
    const revoked = await this.keys.revoke(address, actor);
    return { id: revoked.key.id, ...obedience(revoked) };
  }

  @RpcHandler(SetKeyLimits)
  async setLimits(
    @Payload() { limits, actor, ...address }: z.output<typeof SetKeyLimits.request>,
  ): Promise<z.input<typeof SetKeyLimits.reply>> {
    const changed = await this.keys.setLimits(address, limits, actor);
    return { id: changed.key.id, limits: changed.key.limits, ...obedience(changed) };
  }

  @RpcHandler(SetKeyDeployments)
  async setDeployments(
    @Payload() { deployments, actor, ...address }: z.output<typeof SetKeyDeployments.request>,
  ): Promise<z.input<typeof SetKeyDeployments.reply>> {
    const changed = await this.keys.setDeployments(address, deployments, actor);
    return { id: changed.key.id, deployments: changed.key.deployments, ...obedience(changed) };
  }
}
