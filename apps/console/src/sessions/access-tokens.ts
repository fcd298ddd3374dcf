import type { ProofReader, ProvenPerson } from '@slipway/proof';

/** Who asks, as a session token proves. */
export interface SignedIn extends ProvenPerson {
  /** The token itself: services that are called on this person's behalf want it too. */
  readonly proof: string;
}

/** Reads session tokens. */
export class AccessTokens {
  constructor(private readonly proofs: Pick<ProofReader, 'readPerson'>) {}

  /** @throws ServiceError `session_ended`, one answer to every token that opens nothing; `auth_unavailable` */
  async read(token: string): Promise<SignedIn> {
    return { ...(await this.proofs.readPerson(token)), proof: token };
  }
}
