import { createHmac } from 'node:crypto';
import { ConfigError, loadConfig, parsePeppers, SECRET_KEYS } from '@slipway/platform';
import { z } from 'zod';
import type { BackedUp, SecretChecks } from './manifest.js';

/** Which secrets open what a service's database holds. tuning-service works without one. */
const NEEDED: Readonly<Record<BackedUp, { readonly peppers: boolean; readonly secretKey: 'required' | 'optional' }>> = {
  keys: { peppers: true, secretKey: 'required' },
  deployments: { peppers: false, secretKey: 'required' },
  tuning: { peppers: false, secretKey: 'optional' },
};

const peppers = z.string().transform((text, context) => {
  try {
    return parsePeppers(text);
  } catch (error) {
    context.addIssue((error as Error).message);
    return z.NEVER;
  }
});
const secretKeys = z.string().regex(SECRET_KEYS, 'must be 64 hex characters, or several such keys separated by commas');

/** HMAC-SHA-256 under the secret itself, which has 32 random bytes: it proves the same secret and reveals nothing of it. */
const checkOf = (name: string, secret: Buffer): string => createHmac('sha256', secret).update(`slipway backup ${name}`).digest('hex');

/**
 * Check values of the secrets that a service's database needs.
 * @throws ConfigError naming those that are missing or wrong
 */
export function secretChecks(database: BackedUp, environment: Readonly<Record<string, string | undefined>>): SecretChecks {
  const needed = NEEDED[database];
  const schema = z.object({
    KEY_PEPPERS: needed.peppers ? peppers : z.undefined().optional(),
    SLIPWAY_SECRET_KEY: needed.secretKey === 'required' ? secretKeys : secretKeys.optional(),
  });
  const { KEY_PEPPERS: known, SLIPWAY_SECRET_KEY: keys } = loadConfig(schema, {
    ...environment,
    ...(!needed.peppers && { KEY_PEPPERS: undefined }),
  });
  return {
    ...(known && { KEY_PEPPERS: Object.fromEntries(known.map(({ id, secret }) => [id, checkOf('KEY_PEPPERS', secret)])) }),
    ...(keys !== undefined && {
      SLIPWAY_SECRET_KEY: keys.split(',').map((hex) => checkOf('SLIPWAY_SECRET_KEY', Buffer.from(hex, 'hex'))),
    }),
  };
}

/**
 * Checks that the present secrets include all those of a backup: without one of them keys are void, or what is sealed stays shut.
 * @throws ConfigError naming each secret that is missing or another one
 */
export function requireSecrets(backup: SecretChecks, present: SecretChecks): void {
  const problems = Object.entries(backup.KEY_PEPPERS ?? {}).flatMap(([id, check]) => {
    const own = present.KEY_PEPPERS?.[id];
    if (own === check) return [];
    return [
      `KEY_PEPPERS: "${id}" is ${own === undefined ? 'missing' : 'not the pepper of the backup'}; without it keys of the backup are void`,
    ];
  });
  const lacks = (backup.SLIPWAY_SECRET_KEY ?? []).filter((check) => !present.SLIPWAY_SECRET_KEY?.includes(check)).length;
  const all = backup.SLIPWAY_SECRET_KEY?.length ?? 0;
  if (lacks > 0) {
    const which = all === 1 ? 'is not the key' : `lacks ${lacks} of the ${all} keys`;
    problems.push(`SLIPWAY_SECRET_KEY: ${which} of the backup; without it what was sealed stays shut`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
}
