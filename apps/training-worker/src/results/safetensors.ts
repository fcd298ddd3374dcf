import { z } from 'zod';
import { TrainingFault } from '../training-fault.js';
import { floatReaders, type LoraMatrix } from './lora-gguf.js';

/** Longest header that is read, in bytes: 100,000 tensors. */
const HEADER_MAX = 16 * 2 ** 20;
const ALIGNMENT = 8;

const Header = z.record(
  z.string(),
  z.object({
    dtype: z.enum(['F32', 'F16', 'BF16']),
    shape: z.tuple([z.int().positive(), z.int().positive()]),
    data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
  }),
);

const damaged = (what: string): TrainingFault => new TrainingFault('adapter_mismatch', `The safetensors file is damaged: ${what}.`);

/** Writes matrices of 32-bit numbers in the order of their names. */
export function writeSafetensors(tensors: ReadonlyMap<string, LoraMatrix>): Buffer {
  const sorted = [...tensors].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  let offset = 0;
  for (const [name, { rows, columns, values }] of sorted) {
    header[name] = { dtype: 'F32', shape: [rows, columns], data_offsets: [offset, offset + values.byteLength] };
    offset += values.byteLength;
  }
  const text = JSON.stringify(header);
  const padded = text.padEnd(Math.ceil(Buffer.byteLength(text) / ALIGNMENT) * ALIGNMENT - (Buffer.byteLength(text) - text.length), ' ');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(padded)));
  const data = sorted.map(([, { values }]) => Buffer.from(values.buffer, values.byteOffset, values.byteLength));
  return Buffer.concat([length, Buffer.from(padded), ...data]);
}

const DTYPES = {
  F32: { bytes: 4, read: floatReaders.f32 },
  F16: { bytes: 2, read: floatReaders.f16 },
  BF16: { bytes: 2, read: floatReaders.bf16 },
};

/**
 * Reads matrices of numbers of 16 or 32 bits.
 * @throws TrainingFault `adapter_mismatch` for anything else, before it allocates what the header claims
 */
export function readSafetensors(bytes: Buffer): Map<string, LoraMatrix> {
  const length = bytes.length < 8 ? Infinity : Number(bytes.readBigUInt64LE());
  if (length > Math.min(HEADER_MAX, bytes.length - 8)) throw damaged('its header does not fit');
  const start = 8 + length;
  const { __metadata__: _, ...rest } = parse(bytes.toString('utf8', 8, start));
  const header = Header.safeParse(rest).data;
  if (!header) throw damaged('its header names something else than matrices of 16-bit or 32-bit numbers');
  const tensors = new Map<string, LoraMatrix>();
  let claimed = 0;
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header)) {
    const [rows, columns] = shape;
    const [from, to] = offsets;
    const wrong = to - from !== rows * columns * DTYPES[dtype].bytes || start + to > bytes.length;
    if (wrong) throw damaged(`"${name.slice(0, 100)}" does not fit`);
    // Tensors that share bytes would need more memory than the file has.
    if ((claimed += to - from) > bytes.length - start) throw damaged('its tensors overlap');
    tensors.set(name, { rows, columns, values: floatsOf(bytes, { from: start + from, count: rows * columns, dtype }) });
  }
  return tensors;
}

function floatsOf(bytes: Buffer, { from, count, dtype }: { from: number; count: number; dtype: keyof typeof DTYPES }): Float32Array {
  const values = new Float32Array(count);
  const { read } = DTYPES[dtype];
  for (let i = 0; i < count; i += 1) {
    const value = read(bytes, from, i);
    if (!Number.isFinite(value)) throw damaged('it holds a value that is no number');
    values[i] = value;
  }
  return values;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw damaged('its header is no JSON object');
}
