import { natsFragment, parsePeppers, postgresAddress, SECRET_KEYS, serviceFragment } from '@slipway/platform';
import { z } from 'zod';

/** Names of this machine. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const quota = (usual: number) => z.coerce.number().int().min(0).max(1_000_000).default(usual);

/** Everything that keys-service is told from outside. */
export const KeysConfig = z
  .object({
    ...serviceFragment,
    ...natsFragment,
    /** A server where databases may be created; ours is `slipway_{env}_keys`. */
    DATABASE_URL: postgresAddress.optional(),
    /** The database itself; wins over DATABASE_URL. */
    KEYS_DATABASE_URL: postgresAddress.optional(),
    /** The environment's peppers as `id:hex,…`; new keys are stored under the first. */
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
    /** Deployment keys, members and invitations that wait: what an account may have of each unless the operator says otherwise. */
    QUOTA_KEYS: quota(200),
    QUOTA_MEMBERS: quota(100),
    QUOTA_INVITATIONS: quota(50),
    /** The OpenID Connect provider that people may sign in by, as the console has it; absent = by password alone. Plain http only on this machine. */
    OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
    /** Whom its ID tokens are for. */
    OIDC_CLIENT_ID: z.string().min(1).optional(),
    /** How long the record of a gateway that died is waited for before its workers' counts are taken, in milliseconds. */
    USAGE_ORPHAN_WAIT_MS: z.coerce.number().int().min(0).max(86_400_000).default(600_000),
  })
  .refine((config) => config.DATABASE_URL !== undefined || config.KEYS_DATABASE_URL !== undefined, {
    path: ['DATABASE_URL'],
    message: 'is not set; or set KEYS_DATABASE_URL',
    // Told beside the problems of other variables, not after them.
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
