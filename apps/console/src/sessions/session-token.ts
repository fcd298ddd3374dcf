import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@slipway/contracts';

const BEARER = /^bearer +([\w.-]+)$/i;

/** The session token that a request brings. @throws ServiceError `session_ended` for none */
export function sessionTokenOf({ authorization }: IncomingHttpHeaders): string {
  const token = BEARER.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new ServiceError('session_ended', 'Sign in first.');
  return token;
}
