import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createLogger, ServedCertificate } from '@slipway/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, makeCertificate, type MadeCertificate, validFor } from '../../apps/cli/src/certs/make-certificates.js';
import { until } from '../testing/until.js';

const folder = mkdtempSync(join(tmpdir(), 'slipway-served-'));
const [cert, key] = [join(folder, 'own.pem'), join(folder, 'own.key')];
let authority: MadeCertificate;
beforeAll(async () => {
  authority = await makeAuthority('authority', validFor(2));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const made = (name: string, days = 1): Promise<MadeCertificate> =>
  makeCertificate(authority, { name, hosts: ['localhost', '127.0.0.1'], ...validFor(days) });

async function write(pair: MadeCertificate): Promise<void> {
  await writeFile(key, pair.key);
  await writeFile(cert, pair.cert);
}

/** A server whose files are looked at all the time. */
async function serving(): Promise<{ server: Server; lines: string[]; expiries: number[] }> {
  const [lines, expiries]: [string[], number[]] = [[], []];
  const log = createLogger('test', 'info', (line) => void lines.push(line));
  const served = new ServedCertificate({ cert, key }, { log, served: (expiry) => void expiries.push(expiry), everyMs: 20 });
  const server = createServer();
  await served.start(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => (served.stop(), server.close()));
  return { server, lines, expiries };
}

/** Common name of the certificate that a server shows. */
async function shown(server: Server): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca: authority.cert });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

describe('a served certificate', () => {
  it('changes with its files for new connections', async () => {
    await write(await made('first'));
    const { server, expiries } = await serving();
    expect(await shown(server)).toBe('first');
    await write(await made('second', 2));
    await until('the second is served', async () => (await shown(server)) === 'second');
    expect(expiries).toHaveLength(2);
    expect(expiries[1]).toBeGreaterThan(expiries[0] ?? Infinity);
  });

  it.each([
    ['a key of another certificate', () => writeFile(key, authority.key)],
    ['no certificate', () => writeFile(cert, 'nothing')],
    ['a missing file', () => rm(cert)],
  ])('stays while the files are wrong: %s', async (_, spoil) => {
    await write(await made('good'));
    const { server, lines } = await serving();
    await spoil();
    await until('the files are refused', () => lines.some((line) => line.includes('tls.certificate_refused')));
    expect(await shown(server)).toBe('good');
    // Before the files change one after the other, which may be seen as another fault.
    expect(lines.filter((line) => line.includes('tls.certificate_refused'))).toHaveLength(1);
    await write(await made('better'));
    await until('the next is served', async () => (await shown(server)) === 'better');
  });
});
