import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ChangePassword, EndSessions, ListSessions, RefreshSession, ResetPassword, SignOut } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { OwnSessionsService } from './own-sessions.service.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordResetService } from './password-reset.service.js';
import { RefreshService } from './refresh.service.js';

/** Sessions, from their first refresh to their end. */
@Controller()
export class SessionsHandlers {
  constructor(
    private readonly refreshing: RefreshService,
    private readonly own: OwnSessionsService,
    private readonly passwords: PasswordChangeService,
    private readonly resets: PasswordResetService,
  ) {}

  @RpcHandler(RefreshSession)
  refresh(
    @Payload() { refresh_token: token, account, attempt, origin }: z.output<typeof RefreshSession.request>,
  ): Promise<z.input<typeof RefreshSession.reply>> {
    return this.refreshing.refresh(token, { slug: account, attempt, origin });
  }

  @RpcHandler(SignOut)
  async signOut(@Payload() { refresh_token: token, origin }: z.output<typeof SignOut.request>): Promise<z.input<typeof SignOut.reply>> {
    return { ended: await this.refreshing.signOut(token, origin) };
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
    return { ended: await this.passwords.change(change) };
  }

  @RpcHandler(ResetPassword)
  resetPassword(@Payload() { user, actor }: z.output<typeof ResetPassword.request>): Promise<z.input<typeof ResetPassword.reply>> {
    return this.resets.reset(user, actor);
  }
}
