import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isServiceError, type ModelSource } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SourceRules } from './source-rules.js';

let root: string;
let rules: SourceRules;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'source-rules-'));
  await mkdir(join(root, 'models/deep'), { recursive: true });
  await mkdir(join(root, 'models-private'));
  await mkdir(join(root, 'secrets'));
  await writeFile(join(root, 'models/a.gguf'), 'x');
  await writeFile(join(root, 'secrets/b.gguf'), 'x');
  await symlink(join(root, 'secrets/b.gguf'), join(root, 'models/out.gguf'));
  await symlink(join(root, 'secrets'), join(root, 'models/outdir'));
  await symlink(join(root, 'models/a.gguf'), join(root, 'models/deep/in.gguf'));
  await symlink(join(root, 'models'), join(root, 'linked-models'));
  await symlink('loop.gguf', join(root, 'models/loop.gguf'));
  rules = new SourceRules({
    modelDirs: [join(root, 'models'), join(root, 'linked-models/'), '/only-on-workers'],
    modelHosts: ['huggingface.co', 'models.example:8443'],
    engineHosts: ['engine.local', '127.0.0.1:8000'],
  });
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function verdict(
  source: ModelSource,
  under = rules,
): Promise<{ code: string; param?: string | undefined } | { stored: ModelSource }> {
  try {
    return { stored: await under.check(source) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { code: error.code, param: error.param };
  }
}

const file = (path: string): ModelSource => ({ kind: 'file', path: path.replace('ROOT', root) });
const download = (uri: string): ModelSource => ({ kind: 'download', uri });
const http = (url: string): ModelSource => ({ kind: 'http', url, model: 'm' });

describe('model files', () => {
  it.each([
    ['ROOT/models/a.gguf', 'ROOT/models/a.gguf'],
    ['ROOT/models//./a.gguf', 'ROOT/models/a.gguf'],
    ['ROOT/models/deep/../a.gguf', 'ROOT/models/a.gguf'],
    ['ROOT/models/deep/in.gguf', 'ROOT/models/deep/in.gguf'],
    ['ROOT/models/not-there-yet.gguf', 'ROOT/models/not-there-yet.gguf'],
    ['ROOT/linked-models/a.gguf', 'ROOT/linked-models/a.gguf'],
    ['/only-on-workers/x/y.gguf', '/only-on-workers/x/y.gguf'],
  ])('%s is stored as %s', async (path, stored) => {
    expect(await verdict(file(path))).toEqual({ stored: file(stored) });
  });

  it.each([
    'ROOT/secrets/b.gguf',
    'ROOT/models/../secrets/b.gguf',
    'ROOT/models-private/c.gguf',
    'ROOT/models/out.gguf',
    'ROOT/models/outdir/b.gguf',
    'ROOT/models/outdir/not-there-yet.gguf',
    'ROOT/models',
    '/only-on-workers',
    '/only-on-workers/../etc/passwd',
    '/etc/passwd',
    '/',
  ])('%s is refused', async (path) => {
    expect(await verdict(file(path))).toEqual({ code: 'source_not_allowed', param: 'source.path' });
  });

  it.each(['models/a.gguf', './a.gguf', '~/a.gguf', 'C:\\a.gguf', 'ROOT/models/a\0.gguf'])('%j is no absolute path', async (path) => {
    expect(await verdict(file(path))).toEqual({ code: 'invalid_request', param: 'source.path' });
  });

  it('a loop of links is refused', async () => {
    expect(await verdict(file('ROOT/models/loop.gguf'))).toHaveProperty('stored');
  });
});

describe('downloads', () => {
  it.each([
    'hf:user/repo/file.gguf',
    'hf:user/repo/sub/file.Q4_K_M.gguf',
    'hf:user/repo:Q4_K_M',
    'hf:user/repo/file.gguf#main',
    'https://huggingface.co/user/repo/resolve/main/file.gguf?download=true',
    'https://models.example:8443/f.gguf',
  ])('%s is allowed', async (uri) => {
    expect(await verdict(download(uri))).toEqual({ stored: download(uri) });
  });

  it.each([
    'https://models.example/f.gguf',
    'https://evil.example/huggingface.co/f.gguf',
    'https://huggingface.co.evil.example/f.gguf',
    'https://169.254.169.254/latest',
  ])('%s is refused', async (uri) => {
    expect(await verdict(download(uri))).toEqual({ code: 'source_not_allowed', param: 'source.uri' });
  });

  it.each([
    'http://huggingface.co/f.gguf',
    'file:///etc/passwd',
    'ftp://huggingface.co/f',
    'https://user:secret@huggingface.co/f.gguf',
    'hf:user',
    'hf:user/repo/../../f.gguf',
    'hf:../x/y.gguf',
    'hf:user/repo/a b.gguf',
    'f.gguf',
    '',
  ])('%s is no valid source', async (uri) => {
    expect(await verdict(download(uri))).toEqual({ code: 'invalid_request', param: 'source.uri' });
  });

  it('a Hugging Face name needs huggingface.co in the list', async () => {
    const none = new SourceRules({ modelDirs: [], modelHosts: [], engineHosts: [] });
    expect(await verdict(download('hf:user/repo/file.gguf'), none)).toEqual({ code: 'source_not_allowed', param: 'source.uri' });
  });
});

describe('HTTP engines', () => {
  it.each(['http://engine.local:9000/v1', 'https://engine.local', 'http://127.0.0.1:8000'])('%s is allowed', async (url) => {
    expect(await verdict(http(url))).toEqual({ stored: http(url) });
  });

  it.each(['http://127.0.0.1:5432', 'http://localhost:8000', 'http://evil.example/engine.local', 'http://169.254.169.254/'])(
    '%s is refused',
    async (url) => {
      expect(await verdict(http(url))).toEqual({ code: 'source_not_allowed', param: 'source.url' });
    },
  );

  it.each(['http://user:secret@engine.local/v1', 'http://engine.local/v1?api_key=secret', 'http://engine.local/v1#x'])(
    '%s could hide a secret',
    async (url) => {
      expect(await verdict(http(url))).toEqual({ code: 'invalid_request', param: 'source.url' });
    },
  );
});

it.each([
  [file('/etc/passwd'), 'MODEL_DIRS'],
  [download('https://evil.example/f.gguf'), 'MODEL_HOSTS'],
  [http('http://evil.example'), 'ENGINE_HOSTS'],
])('the refusal names the operator’s setting', async (source, variable) => {
  await expect(rules.check(source)).rejects.toThrow(variable);
});

it('a relative folder in MODEL_DIRS is refused', () => {
  expect(() => new SourceRules({ modelDirs: ['models'], modelHosts: [], engineHosts: [] })).toThrow(TypeError);
});
