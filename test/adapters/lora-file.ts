import { GgmlType, readGgufFileInfo } from 'node-llama-cpp';

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
  const info = await readGgufFileInfo(base, { sourceType: 'filesystem', logWarnings: false });
  const random = randoms(seed * 7_919 + 1);
  const numbers = (count: number, scale: number): Float32Array => Float32Array.from({ length: count }, () => random() * scale);
  const tensors = (info.fullTensorInfo ?? [])
    .filter(({ name }) => ADAPTED.test(name))
    .flatMap(({ name, dimensions }): LoraTensor[] => {
      const [from, to] = dimensions.map(Number) as [number, number];
      return [
        { name: `${name}.lora_a`, dimensions: [from, rank], values: numbers(from * rank, 1 / Math.sqrt(from)) },
        { name: `${name}.lora_b`, dimensions: [rank, to], values: numbers(rank * to, strength) },
      ];
    });
  return written(change(tensors), {
    architecture: options.architecture ?? String(info.metadata.general.architecture),
    type: options.type ?? 'adapter',
    alpha: rank,
  });
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
    const info = Buffer.concat([text(name), u32(2), ...dimensions.map(u64), u32(GgmlType.F32), u64(offset)]);
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
