import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ChangeRole, FindUser, ListMembers, RemoveMember } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform';
import type { z } from 'zod';
import { MembersService } from './members.service.js';

@Controller()
export class MembersHandlers {
  constructor(private readonly members: MembersService) {}

  @RpcHandler(ListMembers)
  async list(@Payload() { account, after, actor }: z.output<typeof ListMembers.request>): Promise<z.input<typeof ListMembers.reply>> {
    const { items, next } = await this.members.list(account, actor, after);
    const members = items.map(({ id, joinedAt, lastSignInAt, suspendedAt, ...member }) => ({
      ...member,
      user: id,
      joined_at: joinedAt.toISOString(),
      last_sign_in_at: lastSignInAt?.toISOString() ?? null,
      ...(actor.kind === 'ops' && { state: suspendedAt === null ? ('active' as const) : ('suspended' as const) }),
    }));
    return { members, next };
  }

  @RpcHandler(FindUser)
  async find(@Payload() { user }: z.output<typeof FindUser.request>): Promise<z.input<typeof FindUser.reply>> {
    const { person, memberships } = await this.members.find(user);
    const { id, email, name, passwordHash } = person;
    return { id, email, name, has_password: passwordHash !== null, memberships };
  }

  @RpcHandler(ChangeRole)
  async changeRole(@Payload() { role, actor, ...address }: z.output<typeof ChangeRole.request>): Promise<z.input<typeof ChangeRole.reply>> {
    await this.members.changeRole(address, role, actor);
    return { user: address.user, role };
  }

  @RpcHandler(RemoveMember)
  async remove(@Payload() { actor, ...address }: z.output<typeof RemoveMember.request>): Promise<z.input<typeof RemoveMember.reply>> {
    await this.members.remove(address, actor);
    return { user: address.user };
  }
}
