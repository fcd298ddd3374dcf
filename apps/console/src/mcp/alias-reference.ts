import { type AliasName, ServiceError } from '@slipway/contracts';
import { z } from 'zod';
import { aliasOf } from './open-deployment.js';

/** How tools name an alias. */
export const aliasInput = z.string().min(1).max(110).describe('An alias of this account: my-model, or account/my-model.');

/** @throws ServiceError `invalid_request` for what is no alias, or another account's */
export function readAlias(text: string, accountSlug: string): z.infer<typeof AliasName> {
  const alias = aliasOf(text, accountSlug);
  if (alias !== null) return alias;
  throw new ServiceError(
    'invalid_request',
    `"${text}" is no alias of ${accountSlug}. An alias has 1 to 63 of a-z, 0-9, dot, dash and underscore, and is no reserved word.`,
    { param: 'alias' },
  );
}
