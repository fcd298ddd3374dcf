import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Role, ROLES, SCOPED_ROLES } from '@slipway/contracts';
import { completeSeeds, type NatsSeeds, roleCredentials, workerSigning } from '@slipway/platform';
import { z } from 'zod';
import { privateFolder, readPrivateJson, writePrivateFile } from './data-dir.js';

const password = (): string => randomBytes(24).toString('base64url');

const Stored = z.object({
  id: z.string(),
  /** Absent in files of 2026 releases, in which NATS users had passwords. */
  nats_seeds: z
    .object({ operator: z.string(), system: z.string(), account: z.string(), scopes: z.record(z.string(), z.string()) })
    .optional(),
  postgres: z.string(),
  pepper: z.string(),
  secret_key: z.string(),
});

/** Secrets that are created once per data directory. */
export interface Secrets {
  /** Identifies the data directory; a deleted and recreated one has another id. */
  readonly id: string;
  readonly natsSeeds: NatsSeeds;
  readonly postgresPassword: string;
  /** `id:hex` for KEY_PEPPERS. */
  readonly pepper: string;
  /** For SLIPWAY_SECRET_KEY: 32 bytes as hex. */
  readonly secretKey: string;
  /** For NATS_CREDENTIALS_DIR: a folder with the credentials of this role only. */
  readonly credentialsOf: (role: Role) => string;
}

const fresh = (): z.output<typeof Stored> => ({
  id: randomBytes(8).toString('hex'),
  postgres: password(),
  pepper: `p1:${randomBytes(32).toString('hex')}`,
  secret_key: randomBytes(32).toString('hex'),
});

/** Reads the secrets and creates missing ones: all at first, later those of new roles. */
export async function openSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'launcher.json');
  const stored = (await readPrivateJson(path, Stored)) ?? fresh();
  const natsSeeds = completeSeeds(stored.nats_seeds);
  await writePrivateFile(path, JSON.stringify({ ...stored, nats_seeds: natsSeeds }));
  const folderOf = (role: Role): string => join(folder, 'nats', role);
  // Earlier releases kept the passwords of all roles in one folder.
  await Promise.all(ROLES.map((role) => rm(join(folder, 'nats', `${role}.json`), { force: true })));
  for (const role of SCOPED_ROLES) {
    // keys-service creates the users of agents and runners; only it gets their keys.
    if (role === 'agent' || role === 'runner') continue;
    await writePrivateFile(join(await privateFolder(folderOf(role)), `${role}.creds`), roleCredentials(role, natsSeeds));
  }
  await writePrivateFile(join(folderOf('keys'), 'signing.json'), workerSigning(natsSeeds));
  return {
    id: stored.id,
    natsSeeds,
    postgresPassword: stored.postgres,
    pepper: stored.pepper,
    secretKey: stored.secret_key,
    credentialsOf: folderOf,
  };
}
