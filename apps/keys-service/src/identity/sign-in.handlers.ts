import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AcceptInvitation, BeginSignInExternal, FindInvitation, SignIn, SignInExternal } from '@slipway/contracts';
import { RpcHandler } from '@slipway/platform/service';
import type { z } from 'zod';
import { InvitationRedemption } from './invitation-redemption.service.js';
import { PasswordSignIn } from './password-sign-in.service.js';
import { ProviderSignIn } from './provider-sign-in.service.js';

/** All ways to sign in. */
@Controller()
export class SignInHandlers {
  constructor(
    private readonly passwords: PasswordSignIn,
    private readonly providers: ProviderSignIn,
    private readonly invitations: InvitationRedemption,
  ) {}

  @RpcHandler(SignIn)
  signIn(@Payload() { account, origin, browser, ...credentials }: z.output<typeof SignIn.request>): Promise<z.input<typeof SignIn.reply>> {
    return this.passwords.signIn(credentials, { slug: account, origin, browser });
  }

  @RpcHandler(BeginSignInExternal)
  async beginExternal(): Promise<z.input<typeof BeginSignInExternal.reply>> {
    return { nonce: await this.providers.begin() };
  }

  @RpcHandler(SignInExternal)
  signInExternal(
    @Payload() { id_token: idToken, access_token: accessToken, invitation, origin }: z.output<typeof SignInExternal.request>,
  ): Promise<z.input<typeof SignInExternal.reply>> {
    return this.providers.finish({ idToken, accessToken }, invitation, origin);
  }

  @RpcHandler(FindInvitation)
  async find(@Payload() { token }: z.output<typeof FindInvitation.request>): Promise<z.input<typeof FindInvitation.reply>> {
    const { slug, role, email, expiresAt } = await this.invitations.find(token);
    return { slug, role, email, known: false, expires_at: expiresAt.toISOString() };
  }

  @RpcHandler(AcceptInvitation)
  accept(
    @Payload() { origin, browser, ...acceptance }: z.output<typeof AcceptInvitation.request>,
  ): Promise<z.input<typeof AcceptInvitation.reply>> {
    return this.passwords.acceptInvitation(acceptance, { origin, browser });
  }
}
