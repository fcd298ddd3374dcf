import 'reflect-metadata';
import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Clocks of other machines may be behind. */
const EARLIER_MS = 3_600_000;

/** A certificate and its key as PEM text. */
export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
}

/** When a certificate is valid. */
export interface Validity {
  /** Default: an hour ago. */
  readonly from?: Date;
  readonly to: Date;
}

/** A validity of whole days from now on. */
export const validFor = (days: number): Validity => ({ to: new Date(Date.now() + days * DAY_MS) });

const newKeys = (): Promise<webcrypto.CryptoKeyPair> => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const pemOf = (key: webcrypto.CryptoKey): string => KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }) as string;

/** 16 random bytes, positive as DER wants it. */
const serialNumber = (): string => `4${randomBytes(16).toString('hex').slice(1)}`;

const between = ({ from, to }: Validity): { notBefore: Date; notAfter: Date } => ({
  notBefore: from ?? new Date(Date.now() - EARLIER_MS),
  notAfter: to,
});

/** Makes a private authority. @param name its common name */
export async function makeAuthority(name: string, validity: Validity): Promise<MadeCertificate> {
  const keys = await newKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [name] }],
    ...between(validity),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: `${cert.toString('pem')}\n`, key: pemOf(keys.privateKey) };
}

/** What a certificate is for. */
export interface CertificateRequest extends Validity {
  readonly name: string;
  /** Host names and addresses that it is valid for; none = of a client only. */
  readonly hosts: readonly string[];
}

async function signingKeyOf(key: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(key.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

/** Makes a certificate for servers and clients that an authority signs. */
export async function makeCertificate(authority: MadeCertificate, request: CertificateRequest): Promise<MadeCertificate> {
  const keys = await newKeys();
  const names = request.hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host }));
  const usages = [...(names.length > 0 ? [ExtendedKeyUsage.serverAuth] : []), ExtendedKeyUsage.clientAuth];
  const cert = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [request.name] }],
    issuer: new X509Certificate(authority.cert).subjectName,
    ...between(request),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await signingKeyOf(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(usages),
      ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  return { cert: `${cert.toString('pem')}\n`, key: pemOf(keys.privateKey) };
}
