import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModelDownloads } from '@slipway/model-store';
import { HostList } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelSources, type ObtainedModel } from './model-sources.js';

let folder: string;
let sources: ModelSources;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-sources-'));
  for (const name of ['models', 'models-of-others']) await mkdir(join(folder, name));
  for (const path of ['models/good.gguf', 'models-of-others/foreign.gguf']) await writeFile(join(folder, path), 'GGUF');
  await symlink(join(folder, 'models-of-others/foreign.gguf'), join(folder, 'models/link.gguf'));
  sources = new ModelSources({
    modelDirs: [join(folder, 'none'), join(folder, 'models')],
    engineHosts: new HostList([]),
    // No file is downloaded.
    downloads: undefined as unknown as ModelDownloads,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const obtain = (path: string): Promise<ObtainedModel> =>
  sources.obtain({ kind: 'file', path: join(folder, path) }, () => undefined, new AbortController().signal);

describe('a model file', () => {
  it('in a model folder is taken with its size', async () => {
    expect(await obtain('models/good.gguf')).toEqual({ source: { kind: 'file', path: join(folder, 'models/good.gguf') }, bytes: 4 });
  });

  it.each([
    ['is missing', 'models/gone.gguf'],
    ['is a folder', 'models'],
    ['lies outside', '../../../../../../../../etc/passwd'],
    ['lies in a folder whose name begins like theirs', 'models-of-others/foreign.gguf'],
    ['is a link to the outside', 'models/link.gguf'],
  ])('that %s is refused in the same words', async (_, path) => {
    await expect(obtain(path)).rejects.toMatchObject({
      reason: 'model_missing',
      message: 'There is no such model file in the model folders of this worker.',
    });
  });
});
