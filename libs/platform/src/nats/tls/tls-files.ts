import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls';
import type { TlsOptions } from '@nats-io/transport-node';
import { ConfigError } from '../../config/config-error.js';
import { expiryOf, firstCertificate } from '../../tls/pem-files.js';

/** Paths of the PEM files of a connection to NATS. They are read again at each connect. */
export interface NatsTlsFiles {
  /** Certificates of the authorities that may have signed the servers' certificates; absent: those that Node trusts. */
  readonly ca?: string | undefined;
  /** The client's own certificate, with its chain; only with `key`. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Content of the files. */
export interface NatsTlsContent {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Settings of `natsFragment` that concern TLS. */
export interface NatsTlsConfig {
  readonly NATS_CA?: string | undefined;
  readonly NATS_CERT?: string | undefined;
  readonly NATS_KEY?: string | undefined;
}

const VARIABLES = { ca: 'NATS_CA', cert: 'NATS_CERT', key: 'NATS_KEY' } as const;
type Part = keyof typeof VARIABLES;
const PARTS = Object.keys(VARIABLES) as Part[];

/** The files that a configuration names; undefined for none. */
export function natsTlsOf({ NATS_CA: ca, NATS_CERT: cert, NATS_KEY: key }: NatsTlsConfig): NatsTlsFiles | undefined {
  return ca === undefined && cert === undefined && key === undefined ? undefined : { ca, cert, key };
}

/** When the certificates of the files expire, in milliseconds since 1970. A file with several counts by its first. */
export function expiriesOf({ ca, cert }: NatsTlsContent): { readonly ca?: number; readonly cert?: number } {
  return { ...(ca !== undefined && { ca: expiryOf(ca) }), ...(cert !== undefined && { cert: expiryOf(cert) }) };
}

async function readPart(part: Part, path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${VARIABLES[part]}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
  try {
    if (part === 'key') {
      createPrivateKey(text);
    } else {
      firstCertificate(text);
      createSecureContext({ ca: text });
    }
  } catch {
    throw new ConfigError([`${VARIABLES[part]}: ${path} is not a PEM file with a ${part === 'key' ? 'private key' : 'certificate'}`]);
  }
  return text;
}

/**
 * Reads the files, and checks that they belong together.
 * @throws ConfigError naming the variables whose files are missing, malformed or do not match
 */
export async function readNatsTls(files: NatsTlsFiles): Promise<NatsTlsContent> {
  if ((files.cert === undefined) !== (files.key === undefined)) {
    throw new ConfigError([`${files.cert === undefined ? 'NATS_CERT' : 'NATS_KEY'}: is not set; NATS_CERT and NATS_KEY belong together`]);
  }
  const read = await Promise.allSettled(
    PARTS.map(async (part) => {
      const path = files[part];
      return path === undefined ? [] : [[part, await readPart(part, path)] as const];
    }),
  );
  const problems = read.flatMap((one) => (one.status === 'rejected' && one.reason instanceof ConfigError ? one.reason.problems : []));
  if (problems.length > 0) throw new ConfigError(problems);
  const content: NatsTlsContent = Object.fromEntries(read.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
  try {
    createSecureContext(content);
  } catch {
    throw new ConfigError([`NATS_KEY: is not the key of the certificate in NATS_CERT`]);
  }
  return content;
}

const hostsOf = (url: string): string[] =>
  url
    .split(',')
    .map((server) => new URL(server.includes('://') ? server.trim() : `nats://${server.trim()}`).hostname.replaceAll(/[[\]]/g, ''));

/**
 * Checks the name in a server's certificate. Without a name to ask for, which is the case for addresses by number, Node would look
 * for `localhost`: then the certificate must name one of the configured hosts.
 */
export function identityCheck(url: string): (host: string, certificate: PeerCertificate) => Error | undefined {
  const hosts = hostsOf(url);
  return (host, certificate) => {
    const isNamed = hosts.includes(host) && isIP(host) === 0;
    const wrong = (isNamed ? [host] : hosts).map((one) => checkServerIdentity(one, certificate));
    return wrong.includes(undefined) ? undefined : wrong[0];
  };
}

/** The NATS client's TLS options. It reads the files at each connect. */
export const clientTls = (url: string, { ca, cert, key }: NatsTlsFiles): TlsOptions => {
  // The client passes what it does not know on to `tls.connect`.
  const further = { checkServerIdentity: identityCheck(url) };
  return {
    ...(ca !== undefined && { caFile: ca }),
    ...(cert !== undefined && { certFile: cert }),
    ...(key !== undefined && { keyFile: key }),
    ...further,
  };
};
