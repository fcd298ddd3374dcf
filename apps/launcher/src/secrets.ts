import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ROLES, type Role } from '@slipway/contracts';
import { z } from 'zod';
import { privateFolder, readPrivateJson, writePrivateFile } from './private-files.js';

const password = (): string => randomBytes(24).toString('base64url');

const Stored = z.object({
  id: z.string(),
  nats: z.record(z.string(), z.string()),
  system: z.string(),
  postgres: z.string(),
  pepper: z.string(),
  secret_key: z.string(),
});

/** What the launcher makes once and keeps for the life of a data directory. */
export interface Secrets {
  /** Name of this life; a data directory that was deleted and made again has another. */
  readonly id: string;
  readonly natsPasswords: Readonly<Record<Role, string>>;
  readonly systemPassword: string;
  readonly postgresPassword: string;
  /** `id:hex` for KEY_PEPPERS. */
  readonly pepper: string;
  /** For SLIPWAY_SECRET_KEY: 32 bytes as hex. */
  readonly secretKey: string;
  /** For NATS_CREDENTIALS_DIR: one file per role. */
  readonly credentialsDir: string;
}

const fresh = (): z.output<typeof Stored> => ({
  id: randomBytes(8).toString('hex'),
  nats: {},
  system: password(),
  postgres: password(),
  pepper: `p1:${randomBytes(32).toString('hex')}`,
  secret_key: randomBytes(32).toString('hex'),
});

/** Reads the secrets, making those that are missing: all at first, later those of new roles. */
export async function openSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'launcher.json');
  const stored = (await readPrivateJson(path, Stored)) ?? fresh();
  const natsPasswords = Object.fromEntries(ROLES.map((role) => [role, stored.nats[role] ?? password()])) as Record<Role, string>;
  await writePrivateFile(path, JSON.stringify({ ...stored, nats: natsPasswords }));
  const credentialsDir = await privateFolder(join(folder, 'nats'));
  for (const role of ROLES) {
    await writePrivateFile(join(credentialsDir, `${role}.json`), JSON.stringify({ user: role, password: natsPasswords[role] }));
  }
  return {
    id: stored.id,
    natsPasswords,
    systemPassword: stored.system,
    postgresPassword: stored.postgres,
    pepper: stored.pepper,
    secretKey: stored.secret_key,
    credentialsDir,
  };
}
