import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { type ComposeService, mountsOf, readComposeFile } from './compose-file.js';
import { WrittenSecrets } from './written-secrets.js';

const compose = readComposeFile(fileURLToPath(new URL('../../docker-compose.yml', import.meta.url)));
const services = Object.entries(compose.services);
const secrets = new WrittenSecrets();
beforeAll(() => secrets.write());
afterAll(() => secrets.remove());

/** Variables of a service's process, with those of its file of secrets. */
function environmentOf(service: ComposeService): Record<string, string | undefined> {
  const folder = mountsOf(service)
    .find(({ target }) => target === '/run/slipway')
    ?.source.replace('./deploy/secrets/', '');
  const hasFile = service.command?.some((word) => word.startsWith('--env-file=')) === true;
  return { ...(hasFile && parseEnv(secrets.read(`${folder}/service.env`))), ...service.environment };
}

describe('TLS in docker-compose.yml', () => {
  it('encrypts every connection between containers', () => {
    for (const [name, service] of services) {
      const environment = environmentOf(service);
      if (environment['NATS_URL'] !== undefined) expect([name, environment['NATS_CA']]).toEqual([name, '/etc/slipway/ca.pem']);
      const database = Object.entries(environment).find(([variable]) => variable.endsWith('DATABASE_URL'))?.[1];
      if (database !== undefined) expect(database).toMatch(/\?sslmode=verify-full&sslrootcert=\/etc\/slipway\/ca\.pem$/);
    }
    for (const node of ['nats-1', 'nats-2', 'nats-3']) {
      const [client, cluster] = secrets.read(`${node}/nats.conf`).split('cluster {');
      for (const part of [client, cluster]) expect(part).toContain('tls { cert_file: "/run/slipway/nats.pem"');
      // Its certificate is for this name, and for no address that the others could be told instead.
      expect(cluster).toContain(`advertise: "${node}:6222"`);
    }
    expect(compose.services['postgres']?.command?.join('')).toContain('-c ssl=on -c ssl_cert_file=/run/slipway/postgres.pem');
    expect(environmentOf(compose.services['tuning-service']!)['BLOB_DOOR_URL']).toBe('https://tuning-service:9100');
  });

  it.each([
    ['nats-1', 'nats.pem'],
    ['nats-1', 'nats.conf'],
    ['postgres', 'postgres.pem'],
  ])('makes %s read a changed file: %s', async (name, file) => {
    const { entrypoint = [], command = [] } = compose.services[name]!;
    const script = [...entrypoint, ...command].find((word) => word.includes('kill -HUP')) ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'slipway-renewed-'));
    writeFileSync(join(folder, file), 'first');
    const watch = script.slice(script.indexOf('( (while'), script.indexOf('&)') + 2);
    const text = `trap 'echo read >> ${folder}/log' HUP\n${watch}\nwhile :; do sleep 0.1; done`;
    const here = text.replaceAll('/run/slipway', folder).replaceAll(/sleep \d+/g, 'sleep 0.1');
    const server = spawn('bash', ['-c', here], { detached: true, stdio: 'ignore' });
    const log = (): string => (existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : '');
    let written = 0;
    try {
      // The first look only remembers what is there.
      await until('the certificate is read again', () => {
        writeFileSync(join(folder, file), `renewed ${(written += 1)}`);
        return log().includes('read');
      });
    } finally {
      process.kill(-(server.pid ?? 0), 'SIGKILL');
      rmSync(folder, { recursive: true });
    }
  });
});
