import { Controller, Get, Inject } from '@nestjs/common';
import { AcceptsAnybody } from '../http/accepts.decorator.js';

/** How people may sign in here. */
export interface SignInWays {
  readonly password: true;
  /** What the button of the identity provider says; null without one. */
  readonly identity_provider: string | null;
}

export const SIGN_IN_WAYS = Symbol('SIGN_IN_WAYS');

/** Tells the sign-in page what to offer. */
@Controller('api')
export class WaysController {
  constructor(@Inject(SIGN_IN_WAYS) private readonly offered: SignInWays) {}

  @Get('sign-in/ways')
  @AcceptsAnybody()
  ways(): SignInWays {
    return this.offered;
  }
}
