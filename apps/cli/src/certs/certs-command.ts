import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CliError } from '../cli-errors.js';
import { type Call, command } from '../command.js';
import { table } from '../table.js';
import { whole } from '../values.js';
import type { MadeCertificate } from './make-certificates.js';

const AUTHORITY_DAYS = 3_650;
const DAYS = 397;
const LOOPBACK = ['localhost', '127.0.0.1'];

/** Replaces a file whole or not at all. */
async function write(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new CliError('not_readable', `${path} cannot be read.`, {}, { cause: error });
  }
}

async function writePair(folder: string, name: string, { cert, key }: MadeCertificate): Promise<void> {
  await write(join(folder, `${name}.key`), key, 0o600);
  await write(join(folder, `${name}.pem`), cert, 0o644);
}

/** The folder's authority, which is made if there is none. */
async function authorityOf(folder: string): Promise<MadeCertificate> {
  const [cert, key] = await Promise.all([readIfThere(join(folder, 'ca.pem')), readIfThere(join(folder, 'ca.key'))]);
  if (cert !== null && key !== null) return { cert, key };
  if (cert !== null || key !== null) {
    throw new CliError('authority_incomplete', `${folder} holds only one of ca.pem and ca.key: restore the other one, or remove both.`);
  }
  const { makeAuthority, validFor } = await import('./make-certificates.js');
  const made = await makeAuthority('Slipway private authority', validFor(AUTHORITY_DAYS));
  await writePair(folder, 'ca', made);
  return made;
}

interface Values {
  readonly natsHosts: readonly string[];
  readonly postgresHosts: readonly string[];
  readonly blobHosts: readonly string[];
  readonly days: number;
}

const hosts = (text: string): string[] => text.split(',').map((host) => host.trim());

/** `npx slipway certs`. */
export const certs = command(
  'certs',
  'Makes a private authority and certificates for NATS, PostgreSQL and the blob door.',
  'An authority that the folder holds stays; certificates are made anew, which renews them. Keep ca.key where secrets are kept: no process needs it.',
)
  .argument('<FOLDER>', 'where they are written')
  .option('--nats-hosts <HOSTS>', 'names of the NATS servers, with commas', hosts, ['nats-1', 'nats-2', 'nats-3'])
  .option('--postgres-hosts <HOSTS>', 'names of PostgreSQL', hosts, ['postgres'])
  .option('--blob-hosts <HOSTS>', 'names of the blob door', hosts, ['tuning-service'])
  .option('--days <N>', 'how long they are valid', whole(z.int().min(1).max(AUTHORITY_DAYS)), DAYS)
  .examples('certs deploy/certs', 'certs certs --nats-hosts nats.internal --days 90')
  .local()
  .plans(({ options, cwd }: Call<Values>, path: string) => async () => {
    const folder = resolve(cwd, path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const authority = await authorityOf(folder);
    const { makeCertificate, validFor } = await import('./make-certificates.js');
    const wanted = { nats: options.natsHosts, postgres: options.postgresHosts, blobs: options.blobHosts, client: [] };
    const made: { name: string; hosts: readonly string[]; until: string }[] = [];
    for (const [name, given] of Object.entries(wanted)) {
      const names = given.length === 0 ? [] : [...new Set([...given, ...LOOPBACK])];
      const pair = await makeCertificate(authority, { name, hosts: names, ...validFor(options.days) });
      await writePair(folder, name, pair);
      made.push({ name, hosts: names, until: new Date(new X509Certificate(pair.cert).validTo).toISOString() });
    }
    const text = table(
      ['FILES', 'FOR', 'VALID UNTIL'],
      made.map((one) => [`${one.name}.pem, ${one.name}.key`, one.hosts.join(', '), one.until]),
    );
    return { json: { folder, authority: join(folder, 'ca.pem'), certificates: made }, text };
  });
