import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  ChangePassword,
  EndSessions,
  KeepPlayground,
  ListSessionKeys,
  ListSessions,
  OpenPlayground,
  RefreshSession,
  ResetPassword,
  RotateSessionKey,
  SignOut,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { OwnSessionsService } from './own-sessions.service.js';
import { PasswordChange, PasswordReset } from './password-replacement.service.js';
import { PlaygroundKeys } from './playground.service.js';
import { RefreshService } from './refresh.service.js';
import { SigningKeys } from './signing-keys.service.js';

/** Sessions from their first refresh to their end, their playground keys, and the keys that sign their tokens. */
@Controller()
export class SessionsHandlers {
  constructor(
    private readonly refreshes: RefreshService,
    private readonly own: OwnSessionsService,
    private readonly passwordChange: PasswordChange,
    private readonly passwordReset: PasswordReset,
    private readonly playground: PlaygroundKeys,
    private readonly signingKeys: SigningKeys,
  ) {}

  @RpcHandler(RefreshSession)
  refresh(
    @Payload() { refresh_token: token, account, attempt, origin }: z.output<typeof RefreshSession.request>,
  ): Promise<z.input<typeof RefreshSession.reply>> {
    return this.refreshes.refresh(token, { slug: account, attempt, origin });
  }

  @RpcHandler(SignOut)
  async signOut(@Payload() { refresh_token: token, origin }: z.output<typeof SignOut.request>): Promise<z.input<typeof SignOut.reply>> {
    return { ended: await this.refreshes.signOut(token, origin) };
  }

  @RpcHandler(ListSessions)
  async list(@Payload() { user }: z.output<typeof ListSessions.request>): Promise<z.input<typeof ListSessions.reply>> {
    const sessions = await this.own.list(user);
    return {
      sessions: sessions.map(({ id, createdAt, rotatedAt, address, client }) => ({
        id,
        created_at: createdAt.toISOString(),
        last_used_at: rotatedAt.toISOString(),
        address,
        client,
      })),
    };
  }

  @RpcHandler(EndSessions)
  async end(@Payload() { user, session, actor }: z.output<typeof EndSessions.request>): Promise<z.input<typeof EndSessions.reply>> {
    return { ended: await this.own.end({ user, session }, actor) };
  }

  @RpcHandler(ChangePassword)
  async changePassword(@Payload() change: z.output<typeof ChangePassword.request>): Promise<z.input<typeof ChangePassword.reply>> {
    return { ended: await this.passwordChange.change(change) };
  }

  @RpcHandler(ResetPassword)
  resetPassword(@Payload() { user, actor }: z.output<typeof ResetPassword.request>): Promise<z.input<typeof ResetPassword.reply>> {
    return this.passwordReset.reset(user, actor);
  }

  @RpcHandler(OpenPlayground)
  async openPlayground(@Payload() request: z.output<typeof OpenPlayground.request>): Promise<z.input<typeof OpenPlayground.reply>> {
    const { key, value } = await this.playground.open(request);
    if (key.expiresAt === null) throw new Error('A playground key has no expiry.');
    return { key: key.id, value, expires_at: key.expiresAt.toISOString() };
  }

  @RpcHandler(KeepPlayground)
  async keepPlayground(@Payload() { value }: z.output<typeof KeepPlayground.request>): Promise<z.input<typeof KeepPlayground.reply>> {
    return { expires_at: (await this.playground.prolong(value)).toISOString() };
  }

  @RpcHandler(ListSessionKeys)
  async listSigningKeys(): Promise<z.input<typeof ListSessionKeys.reply>> {
    return { keys: await this.signingKeys.published() };
  }

  @RpcHandler(RotateSessionKey)
  async rotateSigningKey(
    @Payload() { revoke_old: revokeOld = false, actor }: z.output<typeof RotateSessionKey.request>,
  ): Promise<z.input<typeof RotateSessionKey.reply>> {
    return { kid: await this.signingKeys.rotate(actor, revokeOld) };
  }
}
