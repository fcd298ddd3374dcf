import { ServiceError } from '@slipway/contracts';

/** Gateways refuse a key from this moment on. */
export const isExpired = ({ expiresAt }: { readonly expiresAt: Date | null }): boolean =>
  expiresAt !== null && expiresAt.getTime() <= Date.now();

/** @throws ServiceError `invalid_request` for an expiry that has passed. */
export function requireFuture(expiresAt: Date | null | undefined): void {
  if (isExpired({ expiresAt: expiresAt ?? null })) {
    throw new ServiceError('invalid_request', 'This expiry has passed already.', { param: 'expires_at' });
  }
}
