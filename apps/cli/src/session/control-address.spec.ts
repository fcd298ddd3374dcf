import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findControl } from './control-address.js';

const NOTE = { environment: 'dev', nats_url: 'nats://127.0.0.1:5000', credentials_dir: '/data/secrets/nats' };

let folder: string;
const dataDir = (name: string): string => join(folder, name);

async function write(name: string, text: string): Promise<void> {
  await mkdir(join(dataDir(name), 'run'), { recursive: true });
  await writeFile(join(dataDir(name), 'run/control.json'), text);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-control-'));
  await write('default', JSON.stringify(NOTE));
  await write('other', JSON.stringify({ ...NOTE, environment: 'other' }));
  await write('damaged', '{"environment":');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const find = (config: object, named?: string): ReturnType<typeof findControl> =>
  findControl({ config, dataDir: named === undefined ? undefined : dataDir(named), defaultDataDir: dataDir('default') });

it('the repository’s data folder names the addresses by default', async () => {
  expect(await find({})).toEqual({ url: NOTE.nats_url, environment: 'dev', credentialsDir: NOTE.credentials_dir });
});

it('NATS_URL is never used with other credentials', async () => {
  const url = 'nats://far:4222';
  expect(await find({ NATS_URL: url })).toEqual({ url, environment: 'dev', credentialsDir: undefined });
  const config = { NATS_URL: url, SLIPWAY_ENV: 'prod', NATS_CREDENTIALS_DIR: '/creds' };
  expect(await find(config)).toEqual({ url, environment: 'prod', credentialsDir: '/creds' });
});

it('environment and credentials override that one value', async () => {
  expect(await find({ SLIPWAY_ENV: 'prod' })).toMatchObject({ url: NOTE.nats_url, environment: 'prod' });
  expect(await find({ NATS_CREDENTIALS_DIR: '/creds' })).toMatchObject({ url: NOTE.nats_url, credentialsDir: '/creds' });
});

it('--data-dir takes precedence over the environment', async () => {
  expect(await find({ NATS_URL: 'nats://far:4222', SLIPWAY_ENV: 'prod' }, 'other')).toMatchObject({
    url: NOTE.nats_url,
    environment: 'other',
  });
});

it('missing and damaged address files are distinguished', async () => {
  await expect(find({}, 'empty')).rejects.toMatchObject({
    code: 'not_running',
    message: `Slipway is not running on ${dataDir('empty')}: start it with npm start.`,
  });
  await expect(find({}, 'damaged')).rejects.toMatchObject({ code: 'not_readable' });
});
