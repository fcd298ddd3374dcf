import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hubToken, modelFiles } from './model-address.js';

const noManifest = (): Promise<unknown> => Promise.reject(new Error('No manifest may be requested.'));

it.each([
  ['https://h.example/a/model.gguf?sig=1', 'model.gguf', 'https://h.example/a/model.gguf?sig=1'],
  ['https://h.example/near', 'near', 'https://h.example/near'],
  ['https://h.example/', 'model.gguf', 'https://h.example/'],
  ['https://h.example/..%2F..%2Fetc', '_.._etc', 'https://h.example/..%2F..%2Fetc'],
  ['https://huggingface.co/u/r/blob/main/m.gguf', 'm.gguf', 'https://huggingface.co/u/r/resolve/main/m.gguf'],
  ['hf:u/r/sub/m.gguf', 'm.gguf', 'https://huggingface.co/u/r/resolve/main/sub/m.gguf?download=true'],
  ['hf://u/r/m.gguf#v 2', 'm.gguf', 'https://huggingface.co/u/r/resolve/v%202/m.gguf?download=true'],
])('resolves %s to one file', async (uri, name, url) => {
  expect(await modelFiles(uri, noManifest, {})).toEqual([{ name, urls: [url] }]);
});

it('resolves a tag by the hub’s manifest', async () => {
  const asked: string[] = [];
  const json = (url: string): Promise<unknown> => {
    asked.push(url);
    return Promise.resolve({ ggufFile: { rfilename: 'r-Q8_0.gguf' } });
  };
  const env = { HF_ENDPOINT: 'https://hub.example' };
  expect(await modelFiles('hf:u/r:Q8_0', json, env)).toEqual([
    { name: 'r-Q8_0.gguf', urls: ['https://hub.example/u/r/resolve/main/r-Q8_0.gguf?download=true'] },
  ]);
  await modelFiles('hf:u/r', json, env);
  expect(asked).toEqual(['https://hub.example/v2/u/r/manifests/Q8_0', 'https://hub.example/v2/u/r/manifests/latest']);
  await expect(modelFiles('hf:u/r', () => Promise.resolve({}), env)).rejects.toMatchObject({ name: 'DownloadError' });
  await expect(modelFiles('hf:u', noManifest, env)).rejects.toMatchObject({ name: 'DownloadError' });
});

it('lists every part of a split model', async () => {
  expect(await modelFiles('https://h.example/m-00001-of-00002.gguf?s=1', noManifest, {})).toEqual([
    { name: 'm-00001-of-00002.gguf', urls: ['https://h.example/m-00001-of-00002.gguf?s=1'] },
    { name: 'm-00002-of-00002.gguf', urls: ['https://h.example/m-00002-of-00002.gguf?s=1'] },
  ]);
});

it('lists the pieces of one file in order', async () => {
  expect(await modelFiles('https://h.example/m.gguf.part1of3', noManifest, {})).toEqual([
    { name: 'm.gguf', urls: [1, 2, 3].map((n) => `https://h.example/m.gguf.part${n}of3`) },
  ]);
});

it('reads the credential from variable or file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-token-'));
  try {
    await writeFile(join(folder, 'token'), 'from file\n');
    expect(await hubToken({ HF_TOKEN: 'from variable', HF_HOME: folder })).toBe('from variable');
    expect(await hubToken({ HF_HOME: folder })).toBe('from file');
    expect(await hubToken({ HF_HOME: join(folder, 'none') })).toBeNull();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
