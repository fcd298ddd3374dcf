import { describe, expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { credentialOf, sourceOf, type SourceValues } from './deployment-source.js';

const source = (options: SourceValues): ReturnType<typeof sourceOf> => sourceOf({ options, cwd: '/work' });
const SUM = 'ab'.repeat(32);

describe('where the model comes from', () => {
  it.each([
    [{ model: 'x.gguf' }, { kind: 'file', path: '/work/x.gguf' }],
    [{ model: '/models/x.gguf' }, { kind: 'file', path: '/models/x.gguf' }],
    [{ model: 'hf:a/b/c.gguf' }, { kind: 'download', uri: 'hf:a/b/c.gguf' }],
    [
      { model: 'https://h/x.gguf', modelSha256: SUM.toUpperCase() },
      { kind: 'download', uri: 'https://h/x.gguf', sha256: SUM },
    ],
    [
      { upstream: 'http://h:8000/v1', upstreamModel: 'qwen3' },
      { kind: 'http', url: 'http://h:8000/v1', model: 'qwen3' },
    ],
    [{}, undefined],
  ])('%j', (options, expected) => {
    expect(source(options)).toEqual(expected);
  });

  it.each([
    { model: '' },
    { model: 'http://h/x.gguf' },
    { model: 'ftp://h/x.gguf' },
    { upstream: 'http://h' },
    { upstream: 'h:8000', upstreamModel: 'm' },
    { upstream: 'http://me:pw@h', upstreamModel: 'm' },
    { upstreamModel: 'm' },
    { model: 'x.gguf', modelSha256: SUM },
    { model: 'hf:a/b/c.gguf', modelSha256: 'abc' },
    { modelSha256: SUM },
  ])('%j is refused', (options) => {
    expect(() => source(options as SourceValues)).toThrow(UsageError);
  });
});

it('a credential comes from an environment variable only', () => {
  const call = (value?: string): Parameters<typeof credentialOf>[0] => ({
    options: { upstreamKeyEnv: 'VLLM_KEY' },
    variable: (name) => (name === 'VLLM_KEY' ? value : undefined),
  });
  expect(credentialOf(call('secret'))).toBe('secret');
  expect(() => credentialOf(call())).toThrow('the environment variable VLLM_KEY is not set');
  expect(() => credentialOf(call(''))).toThrow(UsageError);
});

it('an engine and its options go into the source', () => {
  const engine = { engine: 'llama-server', engineOptions: '{"args":["-fa"]}' };
  const chosen = { kind: 'llama-server', options: { args: ['-fa'] } };
  expect(source({ model: 'm.gguf', ...engine })).toEqual({ kind: 'file', path: '/work/m.gguf', engine: chosen });
  for (const options of [
    { ...engine, engine: 'No Kind' },
    { ...engine, engineOptions: '["x"]' },
    { ...engine, engineOptions: '{' },
  ]) {
    expect(() => source({ model: 'm.gguf', ...options })).toThrow(UsageError);
  }
  expect(() => source(engine)).toThrow('--engine needs the source');
  expect(() => source({ model: 'm.gguf', engineOptions: '{}' })).toThrow('--engine-options needs --engine KIND.');
});
