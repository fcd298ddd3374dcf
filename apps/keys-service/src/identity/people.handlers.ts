import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  ChangeRole,
  CreateInvitation,
  CreateSetupLink,
  DeleteUser,
  FindSetup,
  FindUser,
  ListInvitations,
  ListMembers,
  RemoveMember,
  RenameUser,
  RenewInvitation,
  RevokeInvitation,
  SetUserState,
} from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { InvitationsService, type NewLink } from './invitations.service.js';
import { MembersService } from './members.service.js';
import { PeopleService } from './people.service.js';

/** The one reply that shows a link's secret. */
const linkReply = ({ id, token, expiresAt }: NewLink): z.input<typeof CreateInvitation.reply> => ({
  id,
  token,
  expires_at: expiresAt.toISOString(),
});

/** People, their memberships and invitations. */
@Controller()
export class PeopleHandlers {
  constructor(
    private readonly people: PeopleService,
    private readonly members: MembersService,
    private readonly invitations: InvitationsService,
  ) {}

  @RpcHandler(SetUserState)
  setState(@Payload() { email, state, actor }: z.output<typeof SetUserState.request>): Promise<z.input<typeof SetUserState.reply>> {
    return this.people.setState(email, state, actor);
  }

  @RpcHandler(DeleteUser)
  delete(@Payload() { email, actor }: z.output<typeof DeleteUser.request>): Promise<z.input<typeof DeleteUser.reply>> {
    return this.people.delete(email, actor);
  }

  @RpcHandler(FindUser)
  async find(@Payload() { user }: z.output<typeof FindUser.request>): Promise<z.input<typeof FindUser.reply>> {
    const { person, memberships } = await this.members.find(user);
    const { id, email, name, passwordHash } = person;
    return { id, email, name, has_password: passwordHash !== null, memberships };
  }

  @RpcHandler(RenameUser)
  async rename(@Payload() { user, name, actor }: z.output<typeof RenameUser.request>): Promise<z.input<typeof RenameUser.reply>> {
    await this.people.rename(user, name, actor);
    return { user, name };
  }

  @RpcHandler(FindSetup)
  async setup(): Promise<z.input<typeof FindSetup.reply>> {
    return { has_people: await this.people.hasAny() };
  }

  @RpcHandler(ListMembers)
  async listMembers(
    @Payload() { account, after, actor }: z.output<typeof ListMembers.request>,
  ): Promise<z.input<typeof ListMembers.reply>> {
    const { items, next } = await this.members.list(account, actor, after);
    const members = items.map(({ id, joinedAt, lastSignInAt, lastActiveAt, suspendedAt, ...member }) => ({
      ...member,
      user: id,
      joined_at: joinedAt.toISOString(),
      last_sign_in_at: lastSignInAt?.toISOString() ?? null,
      last_active_at: lastActiveAt?.toISOString() ?? null,
      ...(actor.kind === 'ops' && { state: suspendedAt === null ? ('active' as const) : ('suspended' as const) }),
    }));
    return { members, next };
  }

  @RpcHandler(ChangeRole)
  async changeRole(@Payload() { role, actor, ...address }: z.output<typeof ChangeRole.request>): Promise<z.input<typeof ChangeRole.reply>> {
    await this.members.changeRole(address, role, actor);
    return { user: address.user, role };
  }

  @RpcHandler(RemoveMember)
  async removeMember(@Payload() { actor, ...address }: z.output<typeof RemoveMember.request>): Promise<z.input<typeof RemoveMember.reply>> {
    await this.members.remove(address, actor);
    return { user: address.user };
  }

  @RpcHandler(CreateInvitation)
  async invite(@Payload() { actor, ...guest }: z.output<typeof CreateInvitation.request>): Promise<z.input<typeof CreateInvitation.reply>> {
    return linkReply(await this.invitations.invite(guest, actor));
  }

  @RpcHandler(CreateSetupLink)
  async inviteFirstOwner(
    @Payload() { account, actor }: z.output<typeof CreateSetupLink.request>,
  ): Promise<z.input<typeof CreateSetupLink.reply>> {
    return linkReply(await this.invitations.inviteFirstOwner(account, actor));
  }

  @RpcHandler(ListInvitations)
  async listInvitations(
    @Payload() { account, actor }: z.output<typeof ListInvitations.request>,
  ): Promise<z.input<typeof ListInvitations.reply>> {
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

  @RpcHandler(RenewInvitation)
  async renewInvitation(
    @Payload() { account, invitation, actor }: z.output<typeof RenewInvitation.request>,
  ): Promise<z.input<typeof RenewInvitation.reply>> {
    return linkReply(await this.invitations.renew(account, invitation, actor));
  }

  @RpcHandler(RevokeInvitation)
  async revokeInvitation(
    @Payload() { account, invitation, actor }: z.output<typeof RevokeInvitation.request>,
  ): Promise<z.input<typeof RevokeInvitation.reply>> {
    return { id: await this.invitations.revoke(account, invitation, actor) };
  }
}
