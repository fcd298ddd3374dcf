import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import {
  ChangeRole,
  CreateInvitation,
  Email,
  InvitationId,
  ListAudit,
  ListDeploymentAudit,
  ListInvitations,
  ListMembers,
  MemberRole,
  RemoveMember,
  RevokeInvitation,
  ServiceError,
  UserId,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bodyOf } from '../http/body.pipe.js';
import { HttpSettings } from '../http/http-settings.js';
import type { SignedIn } from '../sessions/access-tokens.js';
import { SessionAnswers } from '../sessions/session-answers.js';
import { Asking, SessionGuard } from '../sessions/session.guard.js';

const InviteBody = z.object({ email: Email, role: MemberRole });
const RoleBody = z.object({ role: MemberRole });
const UserParam = z.coerce.number().pipe(UserId);
const InvitationParam = z.coerce.number().pipe(InvitationId);
const MembersQuery = z.object({ after: UserParam.optional() });
const AuditQuery = z.object({ before: z.coerce.number().int().positive().optional() });

/** The people of the account in which somebody works. keys-service decides who may. */
@Controller('api')
@UseGuards(SessionGuard)
export class MembersController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly answers: SessionAnswers,
    private readonly settings: HttpSettings,
  ) {}

  @Get('members')
  list(
    @Query(bodyOf(MembersQuery)) { after }: z.output<typeof MembersQuery>,
    @Asking() asking: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.rpc.withProof(asking.proof).call(ListMembers, { ...this.#here(request, asking), ...(after !== undefined && { after }) });
  }

  @Post('members/:user/role')
  @HttpCode(200)
  changeRole(
    @Param('user', bodyOf(UserParam)) user: UserId,
    @Body(bodyOf(RoleBody)) { role }: z.output<typeof RoleBody>,
    @Asking() asking: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.rpc.withProof(asking.proof).call(ChangeRole, { ...this.#here(request, asking), user, role });
  }

  @Post('members/:user/remove')
  @HttpCode(200)
  remove(@Param('user', bodyOf(UserParam)) user: UserId, @Asking() asking: SignedIn, @Req() request: FastifyRequest): Promise<object> {
    return this.rpc.withProof(asking.proof).call(RemoveMember, { ...this.#here(request, asking), user });
  }

  @Get('invitations')
  invitations(@Asking() asking: SignedIn, @Req() request: FastifyRequest): Promise<object> {
    return this.rpc.withProof(asking.proof).call(ListInvitations, this.#here(request, asking));
  }

  /** The link is in this answer and can never be read again. Its secret stands behind the #, which browsers keep to themselves. */
  @Post('invitations')
  @HttpCode(200)
  async invite(
    @Body(bodyOf(InviteBody)) body: z.output<typeof InviteBody>,
    @Asking() asking: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const { id, token, expires_at } = await this.rpc
      .withProof(asking.proof)
      .call(CreateInvitation, { ...this.#here(request, asking), ...body });
    return { id, link: `${this.settings.own.url}/join#${token}`, expires_at };
  }

  @Post('invitations/:invitation/revoke')
  @HttpCode(200)
  revoke(
    @Param('invitation', bodyOf(InvitationParam)) invitation: InvitationId,
    @Asking() asking: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.rpc.withProof(asking.proof).call(RevokeInvitation, { ...this.#here(request, asking), invitation });
  }

  @Get('audit')
  audit(
    @Query(bodyOf(AuditQuery)) { before }: z.output<typeof AuditQuery>,
    @Asking() asking: SignedIn,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.rpc.withProof(asking.proof).call(ListAudit, { ...this.#here(request, asking), ...(before !== undefined && { before }) });
  }

  /** deployments-service knows no members; it reads the role of the token, which is void as soon as it changes. */
  @Get('audit/deployments')
  auditOfDeployments(
    @Query(bodyOf(AuditQuery)) { before }: z.output<typeof AuditQuery>,
    @Asking() { account, role, proof }: SignedIn,
  ): Promise<object> {
    if (role !== 'owner') throw new ServiceError('not_permitted', 'Only an owner of the account may do this.');
    return this.rpc.withProof(proof).call(ListDeploymentAudit, { account, ...(before !== undefined && { before }) });
  }

  #here(request: FastifyRequest, asking: SignedIn): { account: SignedIn['account']; actor: ReturnType<SessionAnswers['actorOf']> } {
    return { account: asking.account, actor: this.answers.actorOf(request, asking) };
  }
}
