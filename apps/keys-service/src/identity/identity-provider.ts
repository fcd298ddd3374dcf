import { Email, PersonName, ServiceError } from '@slipway/contracts';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { allowInsecureRequests, type Configuration, discovery, fetchUserInfo } from 'openid-client';
import { z } from 'zod';
import type { ExternalPerson } from './external-sign-in.service.js';

/** Timeout of requests to the provider, in seconds. */
const TIMEOUT_S = 5;
/** How far the provider's clock may differ, in seconds. */
const CLOCK_SKEW_S = 30;
/** Signatures by private keys only: with a shared secret, everyone who has it could sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** The OpenID Connect provider of an environment. */
export interface ProviderSettings {
  readonly issuer: string;
  /** `aud` of its ID tokens for this installation. */
  readonly clientId: string;
}

/** The tokens of a sign-in at the provider. */
export interface ProviderTokens {
  readonly idToken: string;
  readonly accessToken?: string | undefined;
}

/** The person of an ID token, and the nonce of the sign-in. */
export interface VerifiedIdentity {
  readonly person: Omit<ExternalPerson, 'invitation'>;
  readonly nonce: string;
}

interface Provider {
  readonly configuration: Configuration;
  readonly keys: JWTVerifyGetKey;
}

const Profile = z.object({ email: z.string().optional(), email_verified: z.boolean().optional(), name: z.string().optional() });

const unavailable = (cause: unknown): ServiceError =>
  new ServiceError('unavailable', 'The identity provider does not answer; try again soon.', { retryAfterS: 5, cause });

/** Verifies the tokens of an OpenID Connect provider by its published keys. */
export class IdentityProvider {
  #found: Promise<Provider> | null = null;

  constructor(private readonly settings: ProviderSettings) {}

  /** @throws ServiceError `not_permitted` for a token that is not valid here, `unavailable` when the provider does not answer */
  async verify({ idToken, accessToken }: ProviderTokens): Promise<VerifiedIdentity> {
    const provider = await this.#provider();
    const claims = await this.#claims(provider, idToken);
    const { sub: subject = '', iss: issuer = '', nonce } = claims;
    if (typeof nonce !== 'string') throw refused(new Error('The ID token has no nonce.'));
    const own = Profile.safeParse(claims).data ?? {};
    const asked = own.email === undefined && accessToken !== undefined ? await this.#profile(provider, accessToken, subject) : {};
    return { person: { issuer, subject, ...profileOf({ ...own, ...asked }) }, nonce };
  }

  async #claims({ keys }: Provider, idToken: string): Promise<JWTPayload> {
    const { issuer, clientId } = this.settings;
    try {
      const { payload } = await jwtVerify(idToken, keys, {
        algorithms: ALGORITHMS,
        issuer: issuersOf(issuer),
        audience: clientId,
        requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
        clockTolerance: CLOCK_SKEW_S,
      });
      // With several audiences, `azp` is the one that the token was issued to (OpenID Connect Core, 3.1.3.7).
      const isOurs = Array.isArray(payload.aud) && payload.aud.length > 1 ? payload['azp'] === clientId : true;
      if (!isOurs || (payload['azp'] !== undefined && payload['azp'] !== clientId))
        throw refused(new Error('The token is for another client.'));
      return payload;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (isRefusal(error)) throw refused(error);
      throw unavailable(error);
    }
  }

  /** The provider's user info of the subject; the response must be about the same subject. */
  async #profile({ configuration }: Provider, accessToken: string, subject: string): Promise<z.output<typeof Profile>> {
    try {
      return Profile.parse(await fetchUserInfo(configuration, accessToken, subject));
    } catch (error) {
      if (isUnreachable(error)) throw unavailable(error);
      throw refused(error);
    }
  }

  /** Discovered at first use, and again after a failure. */
  async #provider(): Promise<Provider> {
    this.#found ??= this.#discover();
    try {
      return await this.#found;
    } catch (error) {
      this.#found = null;
      throw unavailable(error);
    }
  }

  async #discover(): Promise<Provider> {
    const url = new URL(this.settings.issuer);
    // The configuration accepts plain http on a loopback address only.
    const execute = url.protocol === 'http:' ? [allowInsecure] : [];
    const configuration = await discovery(url, this.settings.clientId, undefined, undefined, { execute, timeout: TIMEOUT_S });
    const { jwks_uri: jwks } = configuration.serverMetadata();
    if (jwks === undefined) throw new Error('The identity provider publishes no keys.');
    return { configuration, keys: createRemoteJWKSet(new URL(jwks), { timeoutDuration: TIMEOUT_S * 1_000 }) };
  }
}

// oxlint-disable-next-line typescript/no-deprecated -- Marked as deprecated to warn its users; there is no other way to reach a provider over plain http.
const allowInsecure = allowInsecureRequests;

/** Discovery treats an issuer with and without a final slash as the same. */
const issuersOf = (issuer: string): string[] => {
  const bare = issuer.replace(/\/$/, '');
  return [bare, `${bare}/`];
};

const refused = (cause: unknown): ServiceError =>
  new ServiceError('not_permitted', 'The identity provider did not confirm this sign-in; try again.', { cause });

/** Whether an error of jose is about the token; all others are about keys that could not be fetched. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'
  );
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || error instanceof TypeError || isUnreachable(error.cause));

/** Leaves out an address or name that does not have the form of one: the provider's texts are not trusted. */
function profileOf({
  email,
  email_verified: verified = false,
  name,
}: z.output<typeof Profile>): Omit<ExternalPerson, 'issuer' | 'subject' | 'invitation'> {
  const address = Email.safeParse(email).data;
  const parsedName = PersonName.safeParse(name).data;
  return {
    email_verified: verified && address !== undefined,
    ...(address !== undefined && { email: address }),
    ...(parsedName !== undefined && { name: parsedName }),
  };
}
