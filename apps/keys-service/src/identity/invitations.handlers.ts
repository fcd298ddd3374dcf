import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CreateInvitation, CreateSetupLink, ListInvitations, RevokeInvitation } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { InvitationsService, type NewLink } from './invitations.service.js';

const shownLink = ({ id, token, expiresAt }: NewLink): z.input<typeof CreateInvitation.reply> => ({
  id,
  token,
  expires_at: expiresAt.toISOString(),
});

@Controller()
export class InvitationsHandlers {
  constructor(private readonly invitations: InvitationsService) {}

  @RpcHandler(CreateInvitation)
  async invite(@Payload() { actor, ...guest }: z.output<typeof CreateInvitation.request>): Promise<z.input<typeof CreateInvitation.reply>> {
    return shownLink(await this.invitations.invite(guest, actor));
  }

  @RpcHandler(CreateSetupLink)
  async setUp(@Payload() { account, actor }: z.output<typeof CreateSetupLink.request>): Promise<z.input<typeof CreateSetupLink.reply>> {
    return shownLink(await this.invitations.inviteFirstOwner(account, actor));
  }

  @RpcHandler(ListInvitations)
  async list(@Payload() { account, actor }: z.output<typeof ListInvitations.request>): Promise<z.input<typeof ListInvitations.reply>> {
    const invitations = await this.invitations.list(account, actor);
    return {
      invitations: invitations.map(({ id, email, role, createdAt, expiresAt }) => ({
        id,
        email,
        role,
        created_at: createdAt.toISOString(),
        expires_at: expiresAt.toISOString(),
      })),
    };
  }

  @RpcHandler(RevokeInvitation)
  async revoke(
    @Payload() { account, invitation, actor }: z.output<typeof RevokeInvitation.request>,
  ): Promise<z.input<typeof RevokeInvitation.reply>> {
    return { id: await this.invitations.revoke(account, invitation, actor) };
  }
}
