import { readFile } from 'node:fs/promises';

/** How an adapter for tests differs from others. */
export interface LoraOptions {
  readonly seed: number;
  readonly rank?: number;
  /** Size of its numbers: with 0 it changes nothing. */
  readonly strength?: number;
  readonly architecture?: string;
  readonly type?: string;
  /** Changes the tensors before they are written. */
  readonly change?: (tensors: LoraTensor[]) => LoraTensor[];
}

export interface LoraTensor {
  readonly name: string;
  readonly dimensions: readonly [number, number];
  readonly values: Float32Array;
}

const ALIGNMENT = 32;
const STRING = 8;
const FLOAT = 6;
const ARRAY = 9;
/** Bytes of the numbers that an entry may hold, by their type. */
const WIDTHS = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
/** Type of a tensor of 32-bit numbers. */
const F32 = 0;
/** Tensors of the base that get a pair. */
const ADAPTED = /^blk\.\d+\.(attn_q|attn_v|ffn_down)\.weight$/;

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const entry = (key: string, type: number, value: Buffer): Buffer => Buffer.concat([text(key), u32(type), value]);

/** Numbers between -1 and 1 that a seed decides. */
function randoms(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return ((state >>> 0) / 2 ** 32) * 2 - 1;
  };
}

/** A LoRA adapter with random small tensors for the model in the file, as GGUF. No training made it: it only is one of its own. */
export async function loraFile(base: string, options: LoraOptions): Promise<Buffer> {
  const { seed, rank = 4, strength = 1, change = (tensors) => tensors } = options;
  const info = readHead(await readFile(base));
  const random = randoms(seed * 7_919 + 1);
  const numbers = (count: number, scale: number): Float32Array => Float32Array.from({ length: count }, () => random() * scale);
  const tensors = info.tensors
    .filter(({ name }) => ADAPTED.test(name))
    .flatMap(({ name, dimensions }): LoraTensor[] => {
      const [from, to] = dimensions as [number, number];
      return [
        { name: `${name}.lora_a`, dimensions: [from, rank], values: numbers(from * rank, 1 / Math.sqrt(from)) },
        { name: `${name}.lora_b`, dimensions: [rank, to], values: numbers(rank * to, strength) },
      ];
    });
  return written(change(tensors), {
    architecture: options.architecture ?? info.architecture,
    type: options.type ?? 'adapter',
    alpha: rank,
  });
}

interface Head {
  readonly architecture: string;
  readonly tensors: readonly { readonly name: string; readonly dimensions: readonly number[] }[];
}

/** Architecture and shapes of a GGUF model. */
function readHead(file: Buffer): Head {
  let at = 8;
  const long = (): number => Number(file.readBigUInt64LE((at += 8) - 8));
  const int = (): number => file.readUInt32LE((at += 4) - 4);
  let last = '';
  const readText = (): string => {
    const length = long();
    last = file.toString('utf8', at, at + length);
    at += length;
    return last;
  };
  const skip = (type: number): void => {
    if (type === STRING) readText();
    else if (type === ARRAY) {
      const [of, count] = [int(), long()];
      for (let i = 0; i < count; i += 1) skip(of);
    } else at += WIDTHS[type] ?? 0;
  };
  const [tensors, entries] = [long(), long()];
  let architecture = '';
  for (let i = 0; i < entries; i += 1) {
    const key = readText();
    skip(int());
    if (key === 'general.architecture') architecture = last;
  }
  return {
    architecture,
    tensors: Array.from({ length: tensors }, () => {
      const name = readText();
      const dimensions = Array.from({ length: int() }, long);
      at += 12;
      return { name, dimensions };
    }),
  };
}

function written(tensors: readonly LoraTensor[], facts: { architecture: string; type: string; alpha: number }): Buffer {
  const entries = [
    entry('general.architecture', STRING, text(facts.architecture)),
    entry('general.type', STRING, text(facts.type)),
    entry('adapter.type', STRING, text('lora')),
    entry('adapter.lora.alpha', FLOAT, Buffer.from(Float32Array.of(facts.alpha).buffer)),
  ];
  const padded = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
  let offset = 0;
  const infos = tensors.map(({ name, dimensions, values }) => {
    const info = Buffer.concat([text(name), u32(2), ...dimensions.map(u64), u32(F32), u64(offset)]);
    offset += padded(values.byteLength);
    return info;
  });
  const head = Buffer.concat([Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length), ...entries, ...infos]);
  const body = tensors.map(({ values }) => {
    const bytes = Buffer.alloc(padded(values.byteLength));
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    return bytes;
  });
  return Buffer.concat([head, Buffer.alloc(padded(head.length) - head.length), ...body]);
}
