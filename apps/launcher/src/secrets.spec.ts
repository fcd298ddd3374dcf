import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLES } from '@slipway/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSecrets } from './secrets.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('secrets are created once and stay the same', async () => {
  const first = await openSecrets(folder);
  const { credentialsOf: _, ...facts } = first;
  expect(await openSecrets(folder)).toMatchObject(facts);
  expect(first.pepper).toMatch(/^p1:[0-9a-f]{64}$/);
  expect(first.secretKey).toMatch(/^[0-9a-f]{64}$/);
});

it('every role has its credentials in a private folder', async () => {
  const { credentialsOf } = await openSecrets(folder);
  const roles = ROLES.filter((role) => role !== 'worker' && role !== 'agent' && role !== 'runner');
  expect((await readdir(join(folder, 'nats'))).sort()).toEqual([...roles].sort());
  for (const role of roles) {
    const files = role === 'keys' ? ['keys.creds', 'signing.json'] : [`${role}.creds`];
    expect((await readdir(credentialsOf(role))).sort()).toEqual(files);
    for (const file of files) expect((await stat(join(credentialsOf(role), file))).mode & 0o777).toBe(0o600);
  }
});

it('a new role gets a key, others keep theirs', async () => {
  const { natsSeeds: before } = await openSecrets(folder);
  const path = join(folder, 'launcher.json');
  const stored = JSON.parse(await readFile(path, 'utf8')) as { nats_seeds: { scopes: Record<string, string> } };
  delete stored.nats_seeds.scopes['console'];
  await writeFile(path, JSON.stringify(stored));
  const { natsSeeds: after } = await openSecrets(folder);
  expect({ ...after, scopes: { ...after.scopes, console: '' } }).toEqual({ ...before, scopes: { ...before.scopes, console: '' } });
  expect(after.scopes.console).not.toBe(before.scopes.console);
});

it('secrets of older releases get signing keys', async () => {
  const { pepper } = await openSecrets(folder);
  const path = join(folder, 'launcher.json');
  const { nats_seeds: _, ...rest } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, JSON.stringify({ ...rest, nats: { keys: 'x' }, system: 'y' }));
  const again = await openSecrets(folder);
  expect(again.pepper).toBe(pepper);
  expect(again.natsSeeds.operator).toMatch(/^SO/);
});

it('a damaged file is an error, not replaced', async () => {
  await openSecrets(folder);
  await writeFile(join(folder, 'launcher.json'), '{"id":');
  await expect(openSecrets(folder)).rejects.toThrow(`${join(folder, 'launcher.json')} is damaged`);
});
