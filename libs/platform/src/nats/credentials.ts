import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Role } from '@slipway/contracts';
import { type Authenticator, usernamePasswordAuthenticator } from '@nats-io/transport-node';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.js';
import { Nkey } from './nkey.js';

const UserFile = z.object({ user: z.string().min(1), password: z.string().min(1) });

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw wrong(`${path} cannot be read (${code})`);
  }
}

/** True when a folder has credentials for a role. */
export async function hasCredentials(directory: string, role: Role): Promise<boolean> {
  const found = await Promise.all([`${role}.creds`, `${role}.json`].map((name) => readIfThere(join(directory, name))));
  return found.some((file) => file !== null);
}

const wrong = (what: string): ConfigError => new ConfigError([`NATS_CREDENTIALS_DIR: ${what}`]);

/**
 * Login of a user whom a JWT describes: the user's key signs what the server asks.
 * @param jwt read at each connect and reconnect
 * @throws TypeError for a malformed seed
 */
export function signedLogin(jwt: () => string, seed: string): Authenticator {
  const key = new Nkey(seed);
  return (nonce = '') => ({ jwt: jwt(), nkey: key.public, sig: key.sign(nonce) });
}

/** What stands between two lines of dashes: first the user's JWT, then its seed. */
const CREDENTIALS = /-{3,}[^\n]*-{3,}\s*\n\s*(\S+)\s*\n\s*-{3,}[^\n]*-{3,}/g;

function loginOf(name: string, creds: string): Authenticator {
  const [jwt = '', seed = ''] = Array.from(creds.matchAll(CREDENTIALS), ([, value]) => value);
  try {
    return signedLogin(() => jwt, seed);
  } catch {
    throw wrong(`${name} is no NATS credentials file, with the JWT of a user and its seed`);
  }
}

/**
 * Reads a role's credentials from a folder: `<role>.creds` (a NATS credentials file) or
 * `<role>.json` (`{"user", "password"}`).
 * @throws ConfigError naming the expected files when neither exists, or the invalid one.
 */
export async function readCredentials(directory: string, role: Role): Promise<Authenticator> {
  const creds = await readIfThere(join(directory, `${role}.creds`));
  if (creds) return loginOf(`${role}.creds`, creds.toString('utf8'));
  const json = await readIfThere(join(directory, `${role}.json`));
  if (!json) throw wrong(`the folder holds neither ${role}.creds nor ${role}.json`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(json.toString('utf8'));
  } catch {
    parsed = null;
  }
  const user = UserFile.safeParse(parsed);
  if (!user.success) throw wrong(`${role}.json must be {"user": "…", "password": "…"}`);
  return usernamePasswordAuthenticator(user.data.user, user.data.password);
}
