import { sessionAudience, sessionIssuer } from '@slipway/contracts';

/** Whose tokens these are, and whom they are for: those of another environment open nothing here. */
export class TokenScope {
  readonly issuer: string;
  readonly audience: string;

  constructor(readonly env: string) {
    this.issuer = sessionIssuer(env);
    this.audience = sessionAudience(env);
  }
}
