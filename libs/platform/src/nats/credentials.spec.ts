import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credsAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCredentials } from './credentials.js';
import { completeSeeds, roleCredentials } from './identities.js';

const NONCE = 'asked by the server';

describe('readCredentials', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-credentials-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const reading = async (creds: string) => {
    await writeFile(join(folder, 'gateway.creds'), creds);
    return readCredentials(folder, 'gateway');
  };

  it.each([
    ['written here', (creds: string) => creds],
    ['with the line ends of Windows', (creds: string) => creds.replaceAll('\n', '\r\n')],
    ['with remarks, as nsc writes it', (creds: string) => `${creds.replace('\n\n', '\n\n****** IMPORTANT ******\nSecret.\n\n')}\n******\n`],
  ])('logs in as the NATS client does, by a file %s', async (_, written) => {
    const creds = written(roleCredentials('gateway', completeSeeds()));
    const login = (await reading(creds))(NONCE) as { sig: string };
    const theirs = credsAuthenticator(Buffer.from(creds.replaceAll('\r', '')))(NONCE) as { sig: string };
    expect({ ...login, sig: Buffer.from(login.sig, 'base64url') }).toEqual({ ...theirs, sig: Buffer.from(theirs.sig, 'base64') });
  });

  it('refuses a file that holds no credentials', async () => {
    const whole = roleCredentials('gateway', completeSeeds());
    const seed = /^SU.*$/m.exec(whole)?.[0] ?? '';
    for (const creds of ['', 'gateway', whole.slice(0, 200), whole.replace(seed, seed.slice(1)), whole.replace(seed, 'secret')])
      await expect(reading(creds)).rejects.toThrow('NATS_CREDENTIALS_DIR: gateway.creds is no NATS credentials file');
  });
});
