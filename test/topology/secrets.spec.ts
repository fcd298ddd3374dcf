import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNatsServer } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDockerIgnore } from './docker-ignore.js';
import { WrittenSecrets } from './written-secrets.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const secrets = new WrittenSecrets();
const myself = process.getuid?.() ?? 0;

beforeAll(() => void secrets.write());
afterAll(() => secrets.remove());

describe('the secrets of docker-compose.yml', () => {
  it('are readable only by their owner', () => {
    for (const path of secrets.paths()) {
      const found = statSync(join(secrets.folder, path));
      expect([path, found.mode & 0o7777]).toEqual([path, found.isDirectory() ? 0o700 : 0o600]);
    }
  });

  it('belong to their readers when root creates them', () => {
    const others: Record<string, number> = { postgres: 999, join: 0 };
    const readers = (path: string): number => others[path.split('/')[0] ?? ''] ?? 1000;
    for (const path of secrets.paths()) {
      expect([path, statSync(join(secrets.folder, path)).uid]).toEqual([path, myself === 0 ? readers(path) : myself]);
    }
  });

  it('stay when they are written again', () => {
    const before = secrets.read('gateway/service.env');
    secrets.write('staging');
    expect(secrets.read('gateway/service.env')).toBe(before);
    expect(secrets.read('nats-1/nats.conf')).toContain('# STAGING\n');
    expect(secrets.read('keys/service.env')).toContain('/slipway_staging_keys');
    secrets.write();
    expect(secrets.read('nats-1/nats.conf')).not.toContain('STAGING');
  });

  it('name database roles unlike any schema', () => {
    const NEW = ['slipway_keys', 'slipway_deployments', 'slipway_tuning'];
    const usersOf = (folder: WrittenSecrets): unknown[] => [
      ...['keys', 'deployments', 'tuning'].map((name) => /postgres:\/\/([^:]+):/.exec(folder.read(`${name}/service.env`))?.[1]),
      ...(JSON.parse(folder.read('databases/databases.json')) as { databases: { role: string }[] }).databases.map(({ role }) => role),
    ];
    expect(usersOf(secrets)).toEqual([...NEW, ...NEW]);
    const former = new WrittenSecrets();
    try {
      const passwords = { keys: 'k'.repeat(32), deployments: 'd'.repeat(32) };
      writeFileSync(join(former.folder, 'secrets.json'), JSON.stringify({ databases: passwords }));
      for (let times = 0; times < 2; times += 1) former.write();
      // The role of a database that came later is named as in new installations.
      const kept = ['keys', 'deployments', 'slipway_tuning'];
      expect(usersOf(former)).toEqual([...kept, ...kept]);
      expect(JSON.parse(former.read('secrets.json'))).toMatchObject({ databases: passwords });
    } finally {
      former.remove();
    }
  });

  it('are different each time', () => {
    const valuesOf = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : Object.values(value as Record<string, unknown>).flatMap(valuesOf);
    const values = valuesOf(JSON.parse(secrets.read('secrets.json')));
    expect(new Set(values).size).toBe(values.length);
    expect(values.filter((value) => value.length < 32)).toEqual([]);
  });

  it.each(['nats-1', 'nats-2', 'nats-3'])('make a configuration that nats-server takes for %s', (node) => {
    const { status, stderr } = spawnSync(findNatsServer(), ['-t', '-c', join(secrets.folder, node, 'nats.conf')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining('is valid')]);
  });

  it('are refused for an invalid environment name', () => {
    expect(() => secrets.write('Not OK')).toThrow(/SLIPWAY_ENV must be/);
  });

  it('stay out of git and of images', () => {
    expect(spawnSync('git', ['check-ignore', '-q', 'deploy/secrets/secrets.json'], { cwd: root }).status).toBe(0);
    expect(readDockerIgnore(join(root, '.dockerignore')).includes('deploy/secrets/secrets.json')).toBe(false);
  });
});
