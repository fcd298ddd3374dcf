import type { EndFrame } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { EmbeddingsDocument } from './document.js';

const base64Of = (...numbers: number[]): string => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
const END = { usage: { prompt: 5, cached: 0, completion: 0 } } as EndFrame;
const made = (texts: number, format: 'float' | 'base64' = 'float', dimensions: number | null = null): EmbeddingsDocument =>
  new EmbeddingsDocument({ format, dimensions, texts }, 'deployment-1');

describe('the document of embeddings', () => {
  it('holds vectors by their texts, whatever came first', () => {
    const document = made(2);
    document.collect([{ k: 'vec', i: 1, x: base64Of(0, 1) }]);
    document.collect([{ k: 'vec', i: 0, x: base64Of(0.6, -0.8) }]);
    expect(JSON.parse(document.document(END))).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.600000023842, -0.800000011921] },
        { object: 'embedding', index: 1, embedding: [0, 1] },
      ],
      model: 'deployment-1',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    });
  });

  it('has the bytes of the engine in base64', () => {
    const document = made(1, 'base64');
    const x = base64Of(0.1, 0.2);
    document.collect([{ k: 'vec', i: 0, x }]);
    expect(document.document(END)).toContain(`"embedding":"${x}"`);
  });

  it('brings a shortened vector to length 1', () => {
    const document = made(1, 'float', 2);
    document.collect([{ k: 'vec', i: 0, x: base64Of(0.3, 0.4, 0.5) }]);
    const { data } = JSON.parse(document.document(END)) as { data: [{ embedding: number[] }] };
    expect(data[0].embedding.map((number) => number.toFixed(6))).toEqual(['0.600000', '0.800000']);
  });

  it('is none without a vector for each text', () => {
    const document = made(2);
    const x = base64Of(1, 0);
    document.collect([
      { k: 'vec', i: 0, x },
      { k: 'vec', i: 0, x },
      { k: 'vec', i: 9, x },
    ]);
    expect(() => document.document(END)).toThrow(/without a vector for each text/);
  });

  it.each([
    ['of another size', base64Of(1, 0, 0)],
    ['that is empty', ''],
    ['of broken floats', 'AAAA'],
  ])('is none with a vector %s', (_, x) => {
    const document = made(2);
    document.collect([{ k: 'vec', i: 0, x: base64Of(1, 0) }]);
    expect(() => document.collect([{ k: 'vec', i: 1, x }])).toThrow(/different lengths/);
  });
});
