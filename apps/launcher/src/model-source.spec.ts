import { mkdtemp, mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelSource } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allowedSources, localEngineHosts } from './model-source.js';

let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'slipway-source-')));
  await mkdir(join(root, 'models'));
  await writeFile(join(root, 'models/svc-tiny.Q8_0.gguf'), 'GGUF');
  await mkdir(join(root, 'elsewhere'));
  await writeFile(join(root, 'elsewhere/big.gguf'), 'GGUF');
  await symlink(join(root, 'elsewhere/big.gguf'), join(root, 'link.gguf'));
});
afterAll(() => rm(root, { recursive: true }));

const none: Parameters<typeof allowedSources>[1] = { model_dirs: [], model_hosts: [], engine_hosts: [] };
const allowed = (source: ModelSource | null, known = none): ReturnType<typeof allowedSources> => allowedSources({ root, source }, known);

it('without options only the bundled model’s folder is allowed', () => {
  expect(allowed(null)).toEqual({ model_dirs: [join(root, 'models')], model_hosts: [], engine_hosts: [] });
});

it('a file allows its folder and its target’s', () => {
  expect(allowed({ kind: 'file', path: join(root, 'link.gguf') }).model_dirs).toEqual([
    join(root, 'models'),
    root,
    join(root, 'elsewhere'),
  ]);
});

it('sources of earlier runs stay allowed', () => {
  const earlier = { ...none, model_dirs: ['/a'], model_hosts: ['h:443'], engine_hosts: ['e:80'] };
  expect(allowed({ kind: 'http', url: 'http://127.0.0.1:9000/v1', model: 'm' }, earlier)).toEqual({
    model_dirs: [join(root, 'models'), '/a'],
    model_hosts: ['h:443'],
    engine_hosts: ['e:80', '127.0.0.1:9000'],
  });
});

it.each([
  ['https://models.example/x.gguf', ['models.example:443']],
  ['https://models.example:8443/x.gguf', ['models.example:8443']],
  ['hf:user/repo/x.gguf', ['huggingface.co', '*.huggingface.co', '*.hf.co']],
])('the download %s allows only its hosts', (uri, hosts) => {
  expect(allowed({ kind: 'download', uri }).model_hosts).toEqual(hosts);
});

it('engines on this machine are allowed while only it has access', () => {
  const here = ['127.0.0.1', 'localhost'];
  expect(localEngineHosts({})).toEqual(here);
  expect(localEngineHosts({ HOST: '127.0.0.1', CONSOLE_HOST: 'localhost' })).toEqual(here);
  expect(localEngineHosts({ HOST: '0.0.0.0' })).toEqual([]);
  expect(localEngineHosts({ CONSOLE_HOST: '192.0.2.7' })).toEqual([]);
  expect(localEngineHosts({ ENGINE_HOSTS: '' })).toEqual([]);
  expect(localEngineHosts({ ENGINE_HOSTS: 'engine.example' })).toEqual([]);
});
