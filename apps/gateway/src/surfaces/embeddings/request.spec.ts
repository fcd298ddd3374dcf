import { type CanonicalRequest, isServiceError, textOf } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { type EmbeddingsRequest, readEmbeddingsRequest } from './request.js';

const read = (fields: object, facts: object = {}): EmbeddingsRequest =>
  readEmbeddingsRequest({ model: 'deployment-1', ...fields }, {
    facts: { id: 1, context: 4_096, caps: ['embed', 'dimensions:768'], ...facts },
    slug: 'deployment-1',
    isNamed: (name: string) => name === 'deployment-1',
  } as unknown as ResolvedDeployment);
const refusalOf = (fields: object, facts: object = {}): unknown => {
  try {
    return read(fields, facts);
  } catch (error) {
    return isServiceError(error) ? [error.code, error.param] : error;
  }
};
const textsOf = ({ canonical, parts }: EmbeddingsRequest): string[][] =>
  [canonical, ...parts.more.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as CanonicalRequest)].map(({ messages }) =>
    messages.map(textOf),
  );

describe('a request for embeddings', () => {
  it('comes in parts of 64 texts or 8,192 tokens', () => {
    const texts = Array.from({ length: 150 }, (_, i) => `${i}`);
    const short = read({ input: texts });
    expect(short.parts.firsts).toEqual([0, 64, 128]);
    expect(textsOf(short).flat()).toEqual(texts);
    const long = read({ input: Array.from({ length: 5 }, () => 'x'.repeat(12_000)) });
    expect(textsOf(long).map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(long.parts.costs).toEqual([6_004, 6_004, 3_002]);
  });

  it('is one part for one text', () => {
    const request = read({ input: 'Hello', encoding_format: 'base64' });
    expect(textsOf(request)).toEqual([['Hello']]);
    expect(request).toMatchObject({ format: 'base64', dimensions: null, texts: 1, stream: false });
  });

  it.each<[string, object, object?]>([
    ['above 64 MiB as floats', { input: Array.from({ length: 2_048 }, () => 'x') }, { caps: ['embed', 'dimensions:2100'] }],
    [
      'above 64 MiB in base64',
      { input: Array.from({ length: 2_048 }, () => 'x'), encoding_format: 'base64' },
      { caps: ['embed', 'dimensions:6200'] },
    ],
  ])('is refused for an answer %s', (_, fields, facts) => {
    expect(refusalOf(fields, facts)).toEqual(['invalid_value', 'input']);
  });

  it('may be as large as fits into 64 MiB', () => {
    const input = Array.from({ length: 2_048 }, () => 'x');
    expect(read({ input }, { caps: ['embed', 'dimensions:2048'] }).texts).toBe(2_048);
    expect(read({ input, encoding_format: 'base64' }, { caps: ['embed', 'dimensions:4096'] }).texts).toBe(2_048);
  });

  it('may be shortened where the deployment declares it', () => {
    const caps = ['embed', 'dimensions:768', 'matryoshka'];
    expect(read({ input: 'x', dimensions: 64 }, { caps }).dimensions).toBe(64);
    expect(refusalOf({ input: 'x', dimensions: 64 })).toEqual(['unsupported_value', 'dimensions']);
    expect(refusalOf({ input: 'x', dimensions: 769 }, { caps })).toEqual(['invalid_value', 'dimensions']);
  });
});
