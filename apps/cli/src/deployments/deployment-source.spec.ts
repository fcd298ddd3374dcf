import { describe, expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { credentialOf, nameOf, sourceOf, type SourceValues } from './deployment-source.js';

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

it('a credential comes from a variable, never from the command line', () => {
  const call = (value?: string): Parameters<typeof credentialOf>[0] => ({
    options: { upstreamKeyEnv: 'VLLM_KEY' },
    variable: (name) => (name === 'VLLM_KEY' ? value : undefined),
  });
  expect(credentialOf(call('secret'))).toBe('secret');
  expect(() => credentialOf(call())).toThrow('the environment variable VLLM_KEY is not set');
  expect(() => credentialOf(call(''))).toThrow(UsageError);
});

it('a deployment without a name is called after its model', () => {
  expect(nameOf({ kind: 'file', path: '/m/Qwen.Q4.GGUF' })).toBe('Qwen.Q4');
  expect(nameOf({ kind: 'download', uri: 'https://h/a/llama.gguf?token=x' })).toBe('llama');
  expect(nameOf({ kind: 'http', url: 'http://h', model: 'qwen3' })).toBe('qwen3');
});
