import { createPrivateKey, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, makeCertificate, type MadeCertificate, validFor } from '../../../apps/cli/src/certs/make-certificates.js';
import { WrittenSecrets } from '../written-secrets.js';

const secrets = new WrittenSecrets();
const DAY_MS = 86_400_000;

beforeAll(() => secrets.write());
afterAll(() => secrets.remove());

describe('the certificates of docker-compose.yml', () => {
  it('keep good certificates, and renew the others', async () => {
    const path = 'nats-1/nats';
    const good = secrets.read(`${path}.pem`);
    await secrets.write();
    expect(secrets.read(`${path}.pem`)).toBe(good);
    const { authorities } = JSON.parse(secrets.read('secrets.json')) as { authorities: MadeCertificate[] };
    const authority = authorities[0] as MadeCertificate;
    const hosts = ['nats-1', 'localhost', '127.0.0.1'];
    const foreign = await makeAuthority('foreign', validFor(3_000));
    const bad = [
      await makeCertificate(authority, { name: 'nats-1', hosts, ...validFor(300) }),
      await makeCertificate(authority, { name: 'nats-1', hosts: ['elsewhere'], ...validFor(700) }),
      await makeCertificate(foreign, { name: 'nats-1', hosts, ...validFor(700) }),
      { cert: good, key: authority.key },
      { cert: '', key: '' },
    ];
    for (const { cert, key } of bad) {
      writeFileSync(join(secrets.folder, `${path}.pem`), cert);
      writeFileSync(join(secrets.folder, `${path}.key`), key);
      await secrets.write();
      const made = new X509Certificate(secrets.read(`${path}.pem`));
      expect([made.verify(new X509Certificate(authority.cert).publicKey), made.checkHost('nats-1')]).toEqual([true, 'nats-1']);
      expect(made.checkPrivateKey(createPrivateKey(secrets.read(`${path}.key`)))).toBe(true);
      expect(Date.parse(made.validTo)).toBeGreaterThan(Date.now() + 700 * DAY_MS);
    }
  });

  it('get a second authority before the first one expires', async () => {
    const aged = new WrittenSecrets();
    try {
      const old = await makeAuthority('old', validFor(600));
      const gone = await makeAuthority('gone', { from: new Date(0), to: new Date(DAY_MS) });
      writeFileSync(join(aged.folder, 'secrets.json'), JSON.stringify({ authorities: [old, gone] }));
      await aged.write();
      const trusted = aged.read('ca/ca.pem');
      expect(trusted.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
      expect([trusted.endsWith(old.cert), trusted.includes(gone.cert)]).toEqual([true, false]);
      expect(new X509Certificate(aged.read('nats-2/nats.pem')).verify(new X509Certificate(trusted).publicKey)).toBe(true);
    } finally {
      aged.remove();
    }
  });
});
