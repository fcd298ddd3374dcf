import { migrateFragment, natsFragment, parsePeppers, postgresAddress, SECRET_KEYS, serviceFragment } from '@slipway/platform';
import { z } from 'zod';

/** Loopback addresses and their name. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const quota = (usual: number) => z.coerce.number().int().min(0).max(1_000_000).default(usual);

/** Settings of keys-service. */
export const KeysConfig = z
  .object({
    ...serviceFragment,
    ...natsFragment,
    ...migrateFragment,
    /** A server on which the service may create its database, `slipway_{env}_keys`. */
    DATABASE_URL: postgresAddress.optional(),
    /** The database itself; takes precedence over DATABASE_URL. */
    KEYS_DATABASE_URL: postgresAddress.optional(),
    /** The environment's peppers as `id:hex,…`; new keys are stored under the first one. */
    KEY_PEPPERS: z.string().transform((text, context) => {
      try {
        return parsePeppers(text);
      } catch (error) {
        context.addIssue((error as Error).message);
        return z.NEVER;
      }
    }),
    /** Seals the keys that sign session tokens: 64 hex characters, or several such keys separated by commas, the newest first. */
    SLIPWAY_SECRET_KEY: z.string().regex(SECRET_KEYS, 'must be 64 hex characters, or several such keys separated by commas'),
    /** Deployment keys, members and pending invitations per account, unless an operator sets other quotas for it. */
    QUOTA_KEYS: quota(200),
    QUOTA_MEMBERS: quota(100),
    QUOTA_INVITATIONS: quota(50),
    /** The OpenID Connect provider, the same as the console's; absent = sign-in by password only. Plain http is accepted on a loopback address only. */
    OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
    /** `aud` of its ID tokens. */
    OIDC_CLIENT_ID: z.string().min(1).optional(),
    /** How long a worker's count waits for the record of its gateway before it is taken into the ledger, in milliseconds. */
    USAGE_ORPHAN_WAIT_MS: z.coerce.number().int().min(0).max(86_400_000).default(600_000),
  })
  .refine((config) => config.DATABASE_URL !== undefined || config.KEYS_DATABASE_URL !== undefined, {
    path: ['DATABASE_URL'],
    message: 'is not set; or set KEYS_DATABASE_URL',
    // Reported together with the problems of other variables.
    when: ({ issues }) => !issues.some(({ path: [name] = [] }) => String(name).endsWith('DATABASE_URL')),
  })
  .refine(({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: id }) => (issuer === undefined) === (id === undefined), {
    path: ['OIDC_CLIENT_ID'],
    message: 'belongs to OIDC_ISSUER: set both or none',
  })
  .refine(({ OIDC_ISSUER: issuer }) => issuer === undefined || issuer.startsWith('https:') || LOOPBACK.test(new URL(issuer).hostname), {
    path: ['OIDC_ISSUER'],
    message: 'must be https',
  });
export type KeysConfig = z.infer<typeof KeysConfig>;
