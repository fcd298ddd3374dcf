import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ggufOf } from './adapter-forms.js';
import { type LoraAdapter, readLoraGguf, writeLoraGguf } from './lora-gguf.js';
import { PEFT_FILES, readPeft, writePeft } from './peft.js';
import { readSafetensors, writeSafetensors } from './safetensors.js';
import { packTar, unpackTar } from './tar.js';

const ADAPTER: LoraAdapter = {
  architecture: 'qwen3',
  alpha: 16,
  rank: 2,
  pairs: ['attn_q', 'ffn_down'].map((name, i) => ({
    tensor: `blk.${i}.${name}`,
    a: { rows: 2, columns: 3, values: Float32Array.of(1, -2, 3.5, 0, i, 0.25) },
    b: { rows: 4, columns: 2, values: Float32Array.of(8, 7, 6, 5, 4, 3, 2, i) },
  })),
};

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-forms-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes a changed copy of an adapter's GGUF. */
async function changed(change: (bytes: Buffer) => Buffer): Promise<string> {
  await writeLoraGguf(at('a.gguf'), ADAPTER);
  await writeFile(at('b.gguf'), change(await readFile(at('a.gguf'))));
  return at('b.gguf');
}

it('an adapter in the form of PEFT is made a GGUF where its trainer cannot write', async () => {
  await writePeft(at('peft'), ADAPTER, 'tiny');
  const made = await ggufOf(at('peft'), at('own/30.gguf'), 'qwen3');
  expect(await readLoraGguf(made)).toEqual(ADAPTER);
  expect(await ggufOf(made, at('unused.gguf'), 'qwen3')).toBe(made);
});

describe('an adapter as GGUF', () => {
  it('is read as it was written', async () => {
    await writeLoraGguf(at('a.gguf'), ADAPTER);
    expect(await readLoraGguf(at('a.gguf'))).toEqual(ADAPTER);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['another kind of file', () => Buffer.from('no adapter at all, but some text')],
    ['a file that ends early', (bytes) => bytes.subarray(0, bytes.length - 40)],
    ['an empty file', () => Buffer.alloc(0)],
    ['a count that is too large', (bytes) => Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(8, 0xff), bytes.subarray(16)])],
    [
      'a value that is no number',
      (bytes) => Buffer.concat([bytes.subarray(0, bytes.length - 32), Buffer.from('0000c07f', 'hex'), Buffer.alloc(28)]),
    ],
  ])('refuses %s', async (_, change) => {
    await expect(readLoraGguf(await changed(change))).rejects.toMatchObject({ code: 'adapter_mismatch' });
  });

  it('refuses every file that is cut', async () => {
    await writeLoraGguf(at('a.gguf'), ADAPTER);
    const whole = await readFile(at('a.gguf'));
    for (let length = 0; length < whole.length - 32; length += 7) {
      await writeFile(at('cut.gguf'), whole.subarray(0, length));
      await expect(readLoraGguf(at('cut.gguf')), `${length} bytes`).rejects.toMatchObject({ code: 'adapter_mismatch' });
    }
  });
});

describe('an adapter in the form of PEFT', () => {
  it('is the same after the way there and back', async () => {
    await writePeft(folder, ADAPTER, 'tiny');
    expect(await readPeft(folder, 'qwen3')).toEqual(ADAPTER);
  });

  it('has the names that transformers give its matrices', async () => {
    await writePeft(folder, ADAPTER, 'tiny');
    const names = [...readSafetensors(await readFile(at(PEFT_FILES.weights))).keys()];
    expect(names).toContain('base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight');
    expect(JSON.parse(await readFile(at(PEFT_FILES.config), 'utf8'))).toMatchObject({
      ...{ peft_type: 'LORA', r: 2, lora_alpha: 16, base_model_name_or_path: 'tiny' },
      target_modules: ['down_proj', 'q_proj'],
    });
  });

  it('refuses a matrix that has no name there', async () => {
    const [pair] = ADAPTER.pairs;
    const strange = { ...ADAPTER, pairs: [{ ...pair!, tensor: 'blk.0.ssm_in' }] };
    await expect(writePeft(folder, strange, 'tiny')).rejects.toMatchObject({ code: 'adapter_mismatch' });
  });

  it.each<[string, unknown, RegExp]>([
    ['a rank above 256', { r: 257 }, /rank 257; at most 256/],
    ['DoRA', { use_dora: true }, /use_dora/],
    ['ranks of their own for some matrices', { rank_pattern: { q_proj: 4 } }, /rank_pattern/],
    ['whole modules', { modules_to_save: ['lm_head'] }, /modules_to_save/],
    ['biases', { bias: 'all' }, /biases/],
    ['another method', { peft_type: 'IA3' }, /IA3; LoRA is taken/],
    ['no scale', { lora_alpha: null }, /lora_alpha/],
  ])('refuses %s', async (_, change, why) => {
    await writePeft(folder, ADAPTER, 'tiny');
    const config = JSON.parse(await readFile(at(PEFT_FILES.config), 'utf8')) as object;
    await writeFile(at(PEFT_FILES.config), JSON.stringify({ ...config, ...(change as object) }));
    await expect(readPeft(folder, 'qwen3')).rejects.toMatchObject({ code: 'adapter_mismatch', message: expect.stringMatching(why) });
  });

  it('refuses a configuration that is no JSON', async () => {
    await writePeft(folder, ADAPTER, 'tiny');
    await writeFile(at(PEFT_FILES.config), '{"r": 8');
    await expect(readPeft(folder, 'qwen3')).rejects.toMatchObject({ code: 'adapter_mismatch' });
  });

  it('is not taken for bases whose rows are in another order', async () => {
    await writePeft(folder, ADAPTER, 'tiny');
    await expect(readPeft(folder, 'llama')).rejects.toMatchObject({ message: expect.stringContaining('not for llama') });
  });

  it('refuses a rank that its matrices do not have', async () => {
    await writePeft(folder, ADAPTER, 'tiny');
    const config = JSON.parse(await readFile(at(PEFT_FILES.config), 'utf8')) as object;
    await writeFile(at(PEFT_FILES.config), JSON.stringify({ ...config, r: 3 }));
    await expect(readPeft(folder, 'qwen3')).rejects.toMatchObject({ code: 'adapter_mismatch' });
  });
});

describe('safetensors', () => {
  const good = writeSafetensors(new Map([['x', { rows: 1, columns: 2, values: Float32Array.of(1, 2) }]]));
  const withHeader = (header: string, data = Buffer.alloc(64)): Buffer => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    return Buffer.concat([length, Buffer.from(header), data]);
  };

  it('are read with numbers of 16 bits', () => {
    const header = '{"h":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]},"b":{"dtype":"BF16","shape":[2,1],"data_offsets":[4,8]}}';
    const data = Buffer.from(Uint16Array.of(0x3c00, 0xc100, 0x3f80, 0xc020).buffer);
    const read = readSafetensors(withHeader(header, data));
    expect([...read].map(([name, { values }]) => [name, [...values]])).toEqual([
      ['h', [1, -2.5]],
      ['b', [1, -2.5]],
    ]);
  });

  it('begins its data at a multiple of 8 bytes', () => {
    expect(Number(good.readBigUInt64LE()) % 8).toBe(0);
  });

  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a header beyond the file', Buffer.concat([Buffer.alloc(8, 0x7f), good])],
    ['a header that is no JSON', withHeader('{{')],
    ['numbers that are no floats', withHeader('{"x":{"dtype":"I32","shape":[1,2],"data_offsets":[0,4]}}')],
    ['a tensor beyond the file', withHeader('{"x":{"dtype":"F32","shape":[1,99],"data_offsets":[0,396]}}')],
    [
      'tensors that share their bytes',
      withHeader(`{${Array.from({ length: 9 }, (_, n) => `"${n}":{"dtype":"F32","shape":[4,4],"data_offsets":[0,64]}`).join(',')}}`),
    ],
    ['a value that is no number', withHeader('{"x":{"dtype":"F16","shape":[1,1],"data_offsets":[0,2]}}', Buffer.from([0, 0x7c]))],
    ['offsets that do not fit the shape', withHeader('{"x":{"dtype":"F32","shape":[4,4],"data_offsets":[0,8]}}')],
  ])('refuses %s', (_, bytes) => {
    expect(() => readSafetensors(bytes)).toThrow(expect.objectContaining({ code: 'adapter_mismatch' }));
  });
});

describe('a packed checkpoint', () => {
  it('holds the same files again, also empty ones', async () => {
    await writeFile(at('one.txt'), 'x'.repeat(700));
    await writeFile(at('two.bin'), '');
    await packTar(at('packed.tar'), [at('one.txt'), at('two.bin')]);
    await unpackTar(at('packed.tar'), at('out'));
    expect(await readFile(at('out/one.txt'), 'utf8')).toHaveLength(700);
    expect(await readFile(at('out/two.bin'), 'utf8')).toBe('');
  });

  it('refuses a name that leads out of the folder', async () => {
    await writeFile(at('name'), 'x');
    await packTar(at('packed.tar'), [at('name')]);
    const bytes = await readFile(at('packed.tar'));
    bytes.write('../evil\0', 0);
    await writeFile(at('packed.tar'), bytes);
    await expect(unpackTar(at('packed.tar'), at('out'))).rejects.toMatchObject({ code: 'storage_failed' });
  });
});
