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

it('secrets are made once and stay the same', async () => {
  const first = await openSecrets(folder);
  expect(await openSecrets(folder)).toEqual(first);
  expect(first.pepper).toMatch(/^p1:[0-9a-f]{64}$/);
  expect(first.secretKey).toMatch(/^[0-9a-f]{64}$/);
});

it('every role has a password of its own, in a file that only the owner reads', async () => {
  const { natsPasswords, credentialsDir } = await openSecrets(folder);
  expect(new Set(Object.values(natsPasswords)).size).toBe(ROLES.length);
  for (const role of ROLES) {
    const path = join(credentialsDir, `${role}.json`);
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ user: role, password: natsPasswords[role] });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }
  expect(await readdir(credentialsDir)).toHaveLength(ROLES.length);
});

it('a role that came later gets a password while the others keep theirs', async () => {
  const before = await openSecrets(folder);
  const path = join(folder, 'launcher.json');
  const stored = JSON.parse(await readFile(path, 'utf8')) as { nats: Record<string, string> };
  delete stored.nats['console'];
  await writeFile(path, JSON.stringify(stored));
  const after = await openSecrets(folder);
  expect({ ...after.natsPasswords, console: '' }).toEqual({ ...before.natsPasswords, console: '' });
  expect(after.natsPasswords.console).not.toBe(before.natsPasswords.console);
});

it('a damaged file is an error that names it, never a reason for new secrets', async () => {
  await openSecrets(folder);
  await writeFile(join(folder, 'launcher.json'), '{"id":');
  await expect(openSecrets(folder)).rejects.toThrow(`${join(folder, 'launcher.json')} is damaged`);
});
