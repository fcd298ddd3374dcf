import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CreateKey,
  CreateMcpKey,
  FindAccountLimits,
  FindKey,
  FindMcpKey,
  type KeyView,
  ListKeys,
  ListMcpCalls,
  OpenMcpKey,
  RecordMcpCalls,
  RecordMcpUse,
  RenameKey,
  RevokeKey,
  RevokeKeys,
  RotateKey,
  RotateMcpKey,
  SetKeyDeployments,
  SetKeyExpiry,
  SetKeyLimits,
} from '@slipway/contracts';
import { configured, readWorkerSigning, type ServiceConfig, WorkerSigning } from '@slipway/platform';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { AccountsService } from '../identity/accounts.service.js';
import { IdentityModule } from '../identity/identity.module.js';
import type { StoredKey } from '../shared/key-feed.repository.js';
import { UsageQueries } from '../usage/queries.service.js';
import { UsageModule } from '../usage/usage.module.js';
import { isExpired, type IssuedKey, KeyChanges } from './key-changes.service.js';
import { KeysRepository } from './keys.repository.js';
import { KeysService } from './keys.service.js';
import { McpCallsRepository } from './mcp-calls.repository.js';
import { McpCallsService } from './mcp-calls.service.js';
import { McpKeysService } from './mcp-keys.service.js';
import { WorkerNamesHandlers } from './worker-names.handlers.js';
import { WorkerNamesRepository } from './worker-names.repository.js';
import { WorkerNames } from './worker-names.service.js';

/** A key as lists show it. */
function keyView(key: StoredKey): KeyView {
  const { id, name, hint, expiresAt, deployments, limits } = key;
  const state = key.state === 'active' && isExpired(key) ? 'expired' : key.state;
  const created = { created_at: key.createdAt.toISOString(), created_by: key.createdBy };
  const rotated = { rotated_at: key.rotatedAt?.toISOString() ?? null };
  return { id, name, hint, state, ...created, ...rotated, expires_at: expiresAt?.toISOString() ?? null, deployments, limits };
}

/** The one reply that shows a key's value. */
const issuedReply = ({ value, key, propagated, missing }: IssuedKey): z.input<typeof RotateKey.reply> => ({
  id: key.id,
  value,
  hint: key.hint,
  propagated,
  missing,
});

@Controller()
class KeysHandlers {
  constructor(
    private readonly keys: KeysService,
    private readonly usage: UsageQueries,
  ) {}

  @RpcHandler(CreateKey)
  async create(
    @Payload() { expires_at: expiry, actor, ...key }: z.output<typeof CreateKey.request>,
  ): Promise<z.input<typeof CreateKey.reply>> {
    return issuedReply(await this.keys.create({ ...key, expiresAt: expiry === undefined ? null : new Date(expiry) }, actor));
  }

  @RpcHandler(ListKeys)
  async list(@Payload() { account, before }: z.output<typeof ListKeys.request>): Promise<z.input<typeof ListKeys.reply>> {
    const { items, next } = await this.keys.list(account, before ?? null);
    const lastUsed = await this.usage.lastUsed(items.map(({ id }) => id));
    const unlisted = before === undefined ? await this.keys.unlistedKeys(account) : {};
    const keys = items.map((key) => ({ ...keyView(key), last_used_at: lastUsed.get(key.id)?.toISOString() ?? null }));
    return { keys, next, ...unlisted };
  }

  @RpcHandler(FindKey)
  async find(@Payload() address: z.output<typeof FindKey.request>): Promise<z.input<typeof FindKey.reply>> {
    const key = await this.keys.find(address);
    const lastUsed = await this.usage.lastUsed([key.id]);
    return { key: { ...keyView(key), last_used_at: lastUsed.get(key.id)?.toISOString() ?? null } };
  }

  @RpcHandler(RenameKey)
  async rename(@Payload() { name, actor, ...address }: z.output<typeof RenameKey.request>): Promise<z.input<typeof RenameKey.reply>> {
    return keyView(await this.keys.rename(address, name, actor));
  }

  @RpcHandler(RotateKey)
  async rotate(
    @Payload() { expires_at: expiry, actor, ...address }: z.output<typeof RotateKey.request>,
  ): Promise<z.input<typeof RotateKey.reply>> {
    return issuedReply(await this.keys.rotate(address, typeof expiry === 'string' ? new Date(expiry) : expiry, actor));
  }

  @RpcHandler(RevokeKey)
  async revoke(@Payload() { actor, ...address }: z.output<typeof RevokeKey.request>): Promise<z.input<typeof RevokeKey.reply>> {
    const { key, propagated, missing } = await this.keys.revoke(address, actor);
    return { id: key.id, propagated, missing };
  }

  @RpcHandler(RevokeKeys)
  async revokeAll(@Payload() { account, keys, actor }: z.output<typeof RevokeKeys.request>): Promise<z.input<typeof RevokeKeys.reply>> {
    const { revoked, propagated, missing } = await this.keys.revokeAll(account, keys, actor);
    const outcomes = keys.map((id) => ({ id, outcome: revoked.has(id) ? ('revoked' as const) : ('key_not_found' as const) }));
    return { keys: outcomes, propagated, missing };
  }

  @RpcHandler(SetKeyExpiry)
  async setExpiry(
    @Payload() { expires_at: expiry, actor, ...address }: z.output<typeof SetKeyExpiry.request>,
  ): Promise<z.input<typeof SetKeyExpiry.reply>> {
    const expiresAt = expiry === null ? null : new Date(expiry);
    const { key, propagated, missing } = await this.keys.setExpiry(address, expiresAt, actor);
    return { id: key.id, expires_at: key.expiresAt?.toISOString() ?? null, propagated, missing };
  }

  @RpcHandler(SetKeyLimits)
  async setLimits(
    @Payload() { limits, actor, ...address }: z.output<typeof SetKeyLimits.request>,
  ): Promise<z.input<typeof SetKeyLimits.reply>> {
    const { key, propagated, missing } = await this.keys.setLimits(address, limits, actor);
    return { id: key.id, limits: key.limits, propagated, missing };
  }

  @RpcHandler(SetKeyDeployments)
  async setDeployments(
    @Payload() { deployments, actor, ...address }: z.output<typeof SetKeyDeployments.request>,
  ): Promise<z.input<typeof SetKeyDeployments.reply>> {
    const { key, propagated, missing } = await this.keys.setDeployments(address, deployments, actor);
    return { id: key.id, deployments: key.deployments, propagated, missing };
  }
}

@Controller()
class McpKeysHandlers {
  constructor(
    private readonly keys: McpKeysService,
    private readonly calls: McpCallsService,
  ) {}

  @RpcHandler(OpenMcpKey)
  open(@Payload() { value, scope = 'write' }: z.output<typeof OpenMcpKey.request>): Promise<z.input<typeof OpenMcpKey.reply>> {
    return this.keys.open(value, scope);
  }

  @RpcHandler(CreateMcpKey)
  async create(@Payload() { account, actor }: z.output<typeof CreateMcpKey.request>): Promise<z.input<typeof CreateMcpKey.reply>> {
    return issuedReply(await this.keys.create(account, actor));
  }

  @RpcHandler(FindMcpKey)
  async find(@Payload() { account }: z.output<typeof FindMcpKey.request>): Promise<z.input<typeof FindMcpKey.reply>> {
    const found = await this.keys.find(account);
    if (found === null) return { key: null };
    const { key, use } = found;
    return { key: { ...keyView(key), last_used_at: use?.usedAt.toISOString() ?? null }, last_client: use?.client ?? null };
  }

  @RpcHandler(RecordMcpUse)
  async recordUse(@Payload() { account, key, client }: z.output<typeof RecordMcpUse.request>): Promise<z.input<typeof RecordMcpUse.reply>> {
    await this.keys.recordUse(account, key, client);
    return {};
  }

  @RpcHandler(RecordMcpCalls)
  async recordCalls(
    @Payload() { account, key, calls }: z.output<typeof RecordMcpCalls.request>,
  ): Promise<z.input<typeof RecordMcpCalls.reply>> {
    await this.calls.record(account, key, calls);
    return {};
  }

  @RpcHandler(ListMcpCalls)
  async listCalls(@Payload() { account }: z.output<typeof ListMcpCalls.request>): Promise<z.input<typeof ListMcpCalls.reply>> {
    return { calls: await this.calls.list(account) };
  }

  @RpcHandler(RotateMcpKey)
  async rotate(@Payload() { account, actor }: z.output<typeof RotateMcpKey.request>): Promise<z.input<typeof RotateMcpKey.reply>> {
    return issuedReply(await this.keys.rotate(account, actor));
  }
}

/** Limits of accounts beside their use, which stand in two folders of the service. */
@Controller()
class AccountLimitsHandlers {
  constructor(
    private readonly accounts: AccountsService,
    private readonly usage: UsageQueries,
  ) {}

  @RpcHandler(FindAccountLimits)
  async find(@Payload() { account }: z.output<typeof FindAccountLimits.request>): Promise<z.input<typeof FindAccountLimits.reply>> {
    const limits = await this.accounts.limits(account);
    const { accounts } = await this.usage.budgets({ keys: [], accounts: [account], requests: [] });
    const [{ day, month } = { day: 0, month: 0 }] = accounts;
    return { limits, used: { tokens_per_day: day, tokens_per_month: month } };
  }
}

/** Credentials of programs: deployment keys, MCP keys and the NATS users of workers. */
@Module({
  imports: [IdentityModule, UsageModule],
  controllers: [AccountLimitsHandlers, KeysHandlers, McpKeysHandlers, WorkerNamesHandlers],
  providers: [
    KeyChanges,
    KeysRepository,
    KeysService,
    McpCallsRepository,
    McpCallsService,
    McpKeysService,
    WorkerNames,
    WorkerNamesRepository,
    configured(WorkerSigning, ({ NATS_CREDENTIALS_DIR: folder }: ServiceConfig) => readWorkerSigning(folder)),
  ],
})
export class KeysModule {}
