import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddingShape, hasSoundMetadata } from './gguf-metadata.js';

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([u64(value.length), Buffer.from(value)]);
const gguf = (...entries: Buffer[]): Buffer => Buffer.concat([Buffer.from('GGUF'), u32(3), u64(0), u64(entries.length), ...entries]);
const entry = (type: number, ...value: Buffer[]): Buffer => Buffer.concat([text('a.key'), u32(type), ...value]);
const array = (type: number, count: number | bigint, ...values: Buffer[]): Buffer => Buffer.concat([u32(type), u64(count), ...values]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-gguf-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function isSound(bytes: Buffer): Promise<boolean> {
  const path = join(folder, 'model.gguf');
  await writeFile(path, bytes);
  return hasSoundMetadata(path);
}

describe('hasSoundMetadata', () => {
  it('accepts the bundled model', async () => {
    expect(await hasSoundMetadata(fileURLToPath(new URL('../../../models/svc-tiny.Q8_0.gguf', import.meta.url)))).toBe(true);
  });

  it('accepts every kind of value', async () => {
    const scalars = [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12].map((type) =>
      entry(type, Buffer.alloc([1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8][type]!)),
    );
    const strings = entry(9, array(8, 2, text('one'), text('two')));
    const nested = entry(9, array(9, 1, array(4, 2, u32(1), u32(2))));
    expect(await isSound(gguf(...scalars, entry(8, text('text')), strings, nested))).toBe(true);
  });

  it.each([
    ['an array of 2^32 numbers', gguf(entry(9, array(4, 2 ** 32)), Buffer.alloc(64))],
    ['an array of 2^32 strings', gguf(entry(9, array(8, 2 ** 32)), Buffer.alloc(64))],
    ['an array of 2^63 bytes', gguf(entry(9, array(0, 2n ** 63n)), Buffer.alloc(64))],
    ['a string that is longer than the file', gguf(entry(8, u64(2n ** 40n)))],
    ['a key that is longer than the file', gguf(Buffer.concat([u64(2n ** 60n), Buffer.from('key')]))],
    ['a value of an unknown type', gguf(entry(99))],
    ['arrays within arrays within arrays', gguf(entry(9, array(9, 1, array(9, 1, array(9, 1, array(9, 1, array(9, 1, array(0, 0))))))))],
    ['more entries than it holds', Buffer.concat([Buffer.from('GGUF'), u32(3), u64(0), u64(2), entry(0, Buffer.alloc(1))])],
    ['2^64 - 1 entries', Buffer.concat([Buffer.from('GGUF'), u32(3), u64(0), u64(2n ** 64n - 1n)])],
    ['no counts', Buffer.concat([Buffer.from('GGUF'), u32(3)])],
  ])('refuses a file with %s', async (_, bytes) => {
    expect(await isSound(bytes)).toBe(false);
  });

  it('leaves other file formats to llama.cpp', async () => {
    expect(await isSound(Buffer.from('no model at all'))).toBe(true);
    expect(await isSound(Buffer.alloc(0))).toBe(true);
  });
});

describe('embeddingShape', () => {
  const numbered = (key: string, value: number): Buffer => Buffer.concat([text(key), u32(4), u32(value)]);
  const flag = (key: string, value: boolean): Buffer => Buffer.concat([text(key), u32(7), Buffer.from([Number(value)])]);
  const tokens = Buffer.concat([text('tokenizer.ggml.tokens'), u32(9), array(8, 1, text('a'))]);
  const shapeOf = async (...entries: Buffer[]): Promise<unknown> => {
    const path = join(folder, 'shape.gguf');
    await writeFile(path, gguf(...entries));
    return embeddingShape(path);
  };
  const encoder = [
    Buffer.concat([text('general.architecture'), u32(8), text('bert')]),
    numbered('bert.block_count', 12),
    numbered('bert.context_length', 512),
    numbered('bert.embedding_length', 384),
    numbered('bert.attention.head_count', 12),
  ];
  const pooled = numbered('bert.pooling_type', 1);

  it('reads the width, and that whole texts need no cache', async () => {
    expect(await shapeOf(...encoder, flag('bert.attention.causal', false), pooled, tokens)).toEqual({
      width: 384,
      context: 512,
      cacheBytes: 0,
    });
  });

  it('reads the cache of models that go token by token', async () => {
    const grouped = [numbered('qwen3.attention.head_count_kv', 2), numbered('qwen3.attention.key_length', 64)];
    expect(await shapeOf(...encoder, ...grouped, pooled)).toMatchObject({ cacheBytes: 12 * 2 * (64 + 32) * 2 });
  });

  it('is null for other models, and for what cannot be read', async () => {
    expect(await shapeOf(...encoder)).toBeNull();
    expect(await shapeOf(...encoder, tokens, pooled)).toBeNull();
    expect(await shapeOf(...encoder, pooled, Buffer.concat([text('x.y'), u32(99)]))).toMatchObject({ width: 384 });
    expect(await embeddingShape(join(folder, 'absent.gguf'))).toBeNull();
    expect(await embeddingShape(fileURLToPath(new URL('../../../models/svc-tiny.Q8_0.gguf', import.meta.url)))).toBeNull();
  });
});
