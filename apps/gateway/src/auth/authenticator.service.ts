import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@slipway/contracts';
import passport from 'passport';
import type { Caller } from './caller.js';
import { DeploymentKeyStrategy } from './deployment-key.strategy.js';
import type { KeyVerifier } from './key-verifier.service.js';

const HEADERS = ['x-api-key', 'authorization'] as const;

/** Made once, as it costs more than the rest of a refusal. */
const MISSING_KEY = new ServiceError(
  'missing_api_key',
  'No API key was sent. Send a deployment key (svc_dep_…) as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
);

/** Runs passport over a request's headers. */
export class Authenticator {
  readonly #passport = new passport.Authenticator();

  constructor(verifier: KeyVerifier) {
    for (const header of HEADERS) this.#passport.use(new DeploymentKeyStrategy(header, (key) => verifier.verify(key)));
  }

  /** Calls back with who calls, before it returns; with a ServiceError for everybody else. */
  authenticate(request: IncomingMessage, response: ServerResponse, done: (error: unknown, caller: Caller | null) => void): void {
    const verdict = (error: unknown, caller: Caller | false | null | undefined): void => {
      if (error || caller) return done(error, caller || null);
      return done(MISSING_KEY, null);
    };
    this.#passport.authenticate<Caller>(HEADERS, { session: false }, verdict)(request, response, (error) => done(error, null));
  }
}
