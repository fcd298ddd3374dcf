import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role } from '@slipway/contracts';
import { type Authenticator, credsAuthenticator, usernamePasswordAuthenticator } from '@nats-io/transport-node';
import { z } from 'zod';

const UserFile = z.object({ user: z.string().min(1), password: z.string().min(1) });

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Reads a role's credentials from a folder: `<role>.creds` (a NATS credentials file) or
 * `<role>.json` (`{"user", "password"}`).
 * @throws Error naming the files looked for when neither is there.
 */
export async function readCredentials(directory: string, role: Role): Promise<Authenticator> {
  const creds = await readIfThere(join(directory, `${role}.creds`));
  if (creds) return credsAuthenticator(creds);
  const json = await readIfThere(join(directory, `${role}.json`));
  if (!json) throw new Error(`NATS_CREDENTIALS_DIR holds neither ${role}.creds nor ${role}.json.`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(json.toString('utf8'));
  } catch {
    parsed = null;
  }
  const user = UserFile.safeParse(parsed);
  if (!user.success) throw new Error(`${role}.json in NATS_CREDENTIALS_DIR must be {"user": "…", "password": "…"}.`);
  return usernamePasswordAuthenticator(user.data.user, user.data.password);
}
