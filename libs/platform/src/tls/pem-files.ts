import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';

/** First certificate of a PEM text. @throws Error for other text */
export const firstCertificate = (pem: string): X509Certificate => new X509Certificate(pem);

/** When the first certificate of a PEM text expires, in milliseconds since 1970. */
export const expiryOf = (pem: string): number => Date.parse(firstCertificate(pem).validTo);

/** Checks PEM texts of a server or client, which `createSecureContext` accepts empty. @throws Error when they are malformed or do not match */
export function assertPair(cert: string, key: string): void {
  firstCertificate(cert);
  createPrivateKey(key);
  createSecureContext({ cert, key });
}

function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** A setting that names a PEM file with certificates. */
export const certificateFile = z.string().refine(
  (path) =>
    passes(() => {
      const ca = readFileSync(path, 'utf8');
      firstCertificate(ca);
      createSecureContext({ ca });
    }),
  'must be a PEM file with certificates that can be read',
);

/** A setting that names a PEM file with a private key. */
export const keyFile = z
  .string()
  .refine((path) => passes(() => createPrivateKey(readFileSync(path))), 'must be a PEM file with a private key that can be read');

/** Whether the key of one file belongs to the certificate of another. True also where one of them is refused by itself. */
export const isPair = (cert: string, key: string): boolean =>
  !certificateFile.safeParse(cert).success ||
  !keyFile.safeParse(key).success ||
  passes(() => assertPair(readFileSync(cert, 'utf8'), readFileSync(key, 'utf8')));
