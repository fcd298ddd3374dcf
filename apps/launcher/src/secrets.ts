import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Role, ROLES, SCOPED_ROLES } from '@slipway/contracts';
import { completeSeeds, type NatsSeeds, roleCredentials, workerSigning } from '@slipway/platform';
import { z } from 'zod';
import { privateFolder, readPrivateJson, writePrivateFile } from './private-files.js';

const password = (): string => randomBytes(24).toString('base64url');

const Stored = z.object({
  id: z.string(),
  /** Absent in what releases of 2026 wrote, which gave NATS users passwords. */
  nats_seeds: z
    .object({ operator: z.string(), system: z.string(), account: z.string(), scopes: z.record(z.string(), z.string()) })
    .optional(),
  postgres: z.string(),
  pepper: z.string(),
  secret_key: z.string(),
});

/** What the launcher makes once and keeps for the life of a data directory. */
export interface Secrets {
  /** Name of this life; a data directory that was deleted and made again has another. */
  readonly id: string;
  readonly natsSeeds: NatsSeeds;
  readonly postgresPassword: string;
  /** `id:hex` for KEY_PEPPERS. */
  readonly pepper: string;
  /** For SLIPWAY_SECRET_KEY: 32 bytes as hex. */
  readonly secretKey: string;
  /** For NATS_CREDENTIALS_DIR: each role has a folder that holds nothing of any other. */
  readonly credentialsOf: (role: Role) => string;
}

const fresh = (): z.output<typeof Stored> => ({
  id: randomBytes(8).toString('hex'),
  postgres: password(),
  pepper: `p1:${randomBytes(32).toString('hex')}`,
  secret_key: randomBytes(32).toString('hex'),
});

/** Reads the secrets, making those that are missing: all at first, later those of new roles. */
export async function openSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'launcher.json');
  const stored = (await readPrivateJson(path, Stored)) ?? fresh();
  const natsSeeds = completeSeeds(stored.nats_seeds);
  await writePrivateFile(path, JSON.stringify({ ...stored, nats_seeds: natsSeeds }));
  const folderOf = (role: Role): string => join(folder, 'nats', role);
  // Earlier releases kept the passwords of all roles in one folder.
  await Promise.all(ROLES.map((role) => rm(join(folder, 'nats', `${role}.json`), { force: true })));
  for (const role of SCOPED_ROLES) {
    // Users of agents and runners are made by keys-service, which alone gets these keys.
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
