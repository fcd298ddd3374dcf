import { readFile, stat, writeFile } from 'node:fs/promises';
import { TrainingFault } from '../training-fault.js';

/** Half of an adapter: `a` is rank × input, `b` is output × rank, both in rows. */
export interface LoraMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/** The adapter of one matrix of the base. */
export interface LoraPair {
  /** Name of the base's tensor without its ending, such as `blk.3.attn_q`. */
  readonly tensor: string;
  readonly a: LoraMatrix;
  readonly b: LoraMatrix;
}

/** A LoRA adapter. */
export interface LoraAdapter {
  /** Architecture of its base, as GGUF names it. */
  readonly architecture: string;
  readonly alpha: number;
  readonly rank: number;
  readonly pairs: readonly LoraPair[];
}

const MAGIC = 0x46554747;
const VERSION = 3;
const ALIGNMENT = 32;
const F32 = 0;
const F16 = 1;
const BF16 = 30;
/** Adapters above are refused: nothing that is trained here is as large. */
const BYTES_MAX = 4 * 2 ** 30;
const COUNT_MAX = 100_000;
const TEXT_MAX = 1_000_000;

const NAME = /^(?<tensor>.+)\.weight\.lora_(?<half>[ab])$/;

const damaged = (what: string): TrainingFault => new TrainingFault('adapter_mismatch', `The adapter file is damaged: ${what}.`);

/** Bytes of the numbers of GGUF, by type; 8 = text and 9 = list are read apart. */
const NUMBER_BYTES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };
const TEXT = 8;
const LIST = 9;
const FLOAT32 = 6;

class Reader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  get at(): number {
    return this.#at;
  }

  skip(count: number): number {
    const from = this.#at;
    if (count < 0 || from + count > this.bytes.length) throw damaged('it ends early');
    this.#at += count;
    return from;
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.skip(4));
  }

  /** A count or length. */
  u64(most: number): number {
    const value = this.bytes.readBigUInt64LE(this.skip(8));
    if (value > BigInt(most)) throw damaged('a length is too large');
    return Number(value);
  }

  text(): string {
    const length = this.u64(TEXT_MAX);
    const from = this.skip(length);
    return this.bytes.toString('utf8', from, from + length);
  }

  value(type: number): string | number | null {
    if (type === TEXT) return this.text();
    if (type === FLOAT32) return this.bytes.readFloatLE(this.skip(4));
    if (type === LIST) {
      const item = this.u32();
      const count = this.u64(TEXT_MAX);
      if (item === LIST) throw damaged('its metadata is nested');
      for (let i = 0; i < count; i += 1) this.value(item);
      return null;
    }
    const size = NUMBER_BYTES[type];
    if (size === undefined) throw damaged('its metadata has an unknown type');
    const from = this.skip(size);
    return size === 4 ? this.bytes.readUInt32LE(from) : null;
  }
}

interface TensorInfo {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
  readonly type: number;
  readonly offset: number;
}

/**
 * Reads a LoRA adapter from a GGUF file.
 * @throws TrainingFault `adapter_mismatch` for a file that is none, and for numbers that are none
 */
export async function readLoraGguf(path: string): Promise<LoraAdapter> {
  const { size } = await stat(path);
  if (size > BYTES_MAX) throw damaged('it is too large');
  const bytes = await readFile(path);
  const reader = new Reader(bytes);
  if (reader.u32() !== MAGIC || reader.u32() !== VERSION) throw damaged('it is no GGUF of version 3');
  const tensors = reader.u64(COUNT_MAX);
  const facts = readMetadata(reader, reader.u64(COUNT_MAX));
  const infos = Array.from({ length: tensors }, () => readInfo(reader));
  const alignment = facts.get('general.alignment');
  const step = typeof alignment === 'number' && alignment > 0 ? alignment : ALIGNMENT;
  const start = Math.ceil(reader.at / step) * step;
  const architecture = facts.get('general.architecture');
  const alpha = facts.get('adapter.lora.alpha');
  if (facts.get('adapter.type') !== 'lora' || typeof architecture !== 'string' || typeof alpha !== 'number') {
    throw damaged('it is no LoRA adapter');
  }
  // Tensors that share bytes would need more memory than the file has.
  if (infos.reduce((sum, info) => sum + bytesOf(info), 0) > bytes.length - start) throw damaged('its tensors overlap');
  const pairs = pairUp(infos, (info) => matrixOf(bytes, start, info));
  const ranks = new Set(pairs.map(({ a }) => a.rows));
  const [rank] = ranks;
  if (rank === undefined || ranks.size > 1) throw damaged('its matrices have different ranks');
  return { architecture, alpha, rank, pairs };
}

function readMetadata(reader: Reader, count: number): Map<string, string | number | null> {
  const facts = new Map<string, string | number | null>();
  for (let i = 0; i < count; i += 1) {
    const key = reader.text();
    facts.set(key, reader.value(reader.u32()));
  }
  return facts;
}

function readInfo(reader: Reader): TensorInfo {
  const name = reader.text();
  const dimensions = reader.u32();
  if (dimensions !== 2) throw damaged('a tensor is no matrix');
  const columns = reader.u64(2 ** 24);
  const rows = reader.u64(2 ** 24);
  return { name, columns, rows, type: reader.u32(), offset: reader.u64(BYTES_MAX) };
}

function matrixOf(bytes: Buffer, start: number, { columns, rows, type, offset }: TensorInfo): LoraMatrix {
  const count = columns * rows;
  const from = start + offset;
  const read = READERS.get(type);
  if (!read) throw damaged('its numbers are quantized');
  if (from + bytesOf({ columns, rows, type }) > bytes.length) throw damaged('it ends early');
  const values = new Float32Array(count);
  for (let i = 0; i < count; i += 1) {
    const value = read(bytes, from, i);
    if (!Number.isFinite(value)) throw damaged('it holds a value that is no number');
    values[i] = value;
  }
  return { rows, columns, values };
}

const bytesOf = ({ columns, rows, type }: Pick<TensorInfo, 'columns' | 'rows' | 'type'>): number => columns * rows * (type === F32 ? 4 : 2);

/** Reads one number of a list of them. */
type NumberReader = (bytes: Buffer, from: number, i: number) => number;

/** Readers of 32-bit, 16-bit and brain floats. */
export const floatReaders = {
  f32: (bytes, from, i) => bytes.readFloatLE(from + i * 4),
  f16: (bytes, from, i) => fromHalf(bytes.readUInt16LE(from + i * 2)),
  // The upper half of a 32-bit number.
  bf16: (bytes, from, i) => new Float32Array(Uint32Array.of(bytes.readUInt16LE(from + i * 2) << 16).buffer)[0] ?? NaN,
} as const satisfies Record<string, NumberReader>;

const READERS: ReadonlyMap<number, NumberReader> = new Map([
  [F32, floatReaders.f32],
  [F16, floatReaders.f16],
  [BF16, floatReaders.bf16],
]);

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

function pairUp(infos: readonly TensorInfo[], read: (info: TensorInfo) => LoraMatrix): LoraPair[] {
  const halves = new Map<string, { a?: LoraMatrix; b?: LoraMatrix }>();
  for (const info of infos) {
    const { tensor, half } = NAME.exec(info.name)?.groups ?? {};
    if (tensor === undefined || half === undefined) throw damaged('a tensor belongs to no LoRA');
    halves.set(tensor, { ...halves.get(tensor), [half]: read(info) });
  }
  return [...halves].map(([tensor, { a, b }]) => {
    if (!a || !b || a.rows !== b.columns) throw damaged('a matrix has no matching half');
    return { tensor, a, b };
  });
}

/** Writes a LoRA adapter as llama.cpp reads it, with 32-bit numbers. */
export async function writeLoraGguf(path: string, adapter: LoraAdapter): Promise<void> {
  const halves = adapter.pairs.flatMap(({ tensor, a, b }) => [
    { name: `${tensor}.weight.lora_a`, matrix: a },
    { name: `${tensor}.weight.lora_b`, matrix: b },
  ]);
  const metadata = [
    entry('general.type', text('adapter')),
    entry('general.architecture', text(adapter.architecture)),
    entry('adapter.type', text('lora')),
    entry('adapter.lora.alpha', Buffer.concat([u32(FLOAT32), f32(adapter.alpha)])),
  ];
  const head: Buffer[] = [u32(MAGIC), u32(VERSION), u64(halves.length), u64(metadata.length), ...metadata];
  let offset = 0;
  for (const { name, matrix } of halves) {
    head.push(string(name), u32(2), u64(matrix.columns), u64(matrix.rows), u32(F32), u64(offset));
    offset += aligned(matrix.values.byteLength);
  }
  const front = Buffer.concat(head);
  const data = halves.map(({ matrix: { values } }) => padded(Buffer.from(values.buffer, values.byteOffset, values.byteLength)));
  await writeFile(path, Buffer.concat([padded(front), ...data]));
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes], aligned(bytes.length));
const entry = (key: string, value: Buffer): Buffer => Buffer.concat([string(key), value]);
const text = (value: string): Buffer => Buffer.concat([u32(TEXT), string(value)]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function string(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}
