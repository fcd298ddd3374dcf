// The private authority of an installation, and certificates that it signs, for write-secrets.mjs: what is still good stays.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { makeAuthority, makeCertificate, validFor } from '../apps/cli/dist/certs/make-certificates.js';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** Half of it is what may pass between two runs. */
const CERTIFICATE_DAYS = 730;
/** Names by which a container reaches itself. */
const LOOPBACK = ['localhost', '127.0.0.1'];

const daysLeft = (pem) => (Date.parse(new X509Certificate(pem).validTo) - Date.now()) / DAY_MS;

/**
 * The authorities, the newest first, which signs. A new one is made while the certificates of the old one are good for long
 * enough that every process learns of it; one that has expired is dropped.
 * @param {{ cert: string, key: string }[]} [stored]
 */
export async function completeAuthorities(stored = []) {
  const good = stored.filter(({ cert }) => daysLeft(cert) > 0);
  if (good.length > 0 && daysLeft(good[0].cert) > CERTIFICATE_DAYS) return good;
  return [await makeAuthority('Slipway private authority', validFor(AUTHORITY_DAYS)), ...good];
}

/** What clients and servers trust: all authorities. */
export const trustedOf = (authorities) => authorities.map(({ cert }) => cert).join('');

function isGood({ cert, key }, authority, names) {
  try {
    const own = new X509Certificate(cert);
    const wanted = names.map((name) => (/^[\d.]+$/.test(name) ? `IP Address:${name}` : `DNS:${name}`)).join(', ');
    const isOurs = own.verify(new X509Certificate(authority.cert).publicKey) && own.checkPrivateKey(createPrivateKey(key));
    return isOurs && own.subjectAltName === wanted && daysLeft(cert) > CERTIFICATE_DAYS / 2;
  } catch {
    return false;
  }
}

/**
 * The certificate of a server: the one that is there while it is good for another year, else a new one.
 * @param {{ cert: string, key: string }} found empty texts where there is none
 */
export async function currentCertificate(found, authority, { name, hosts }) {
  const names = [...hosts, ...LOOPBACK];
  return isGood(found, authority, names) ? found : makeCertificate(authority, { name, hosts: names, ...validFor(CERTIFICATE_DAYS) });
}
