import { z } from 'zod';
import { TrainingFault } from '../training-fault.js';
import type { LoraMatrix } from './lora-gguf.js';

/** Longest header that is read, in bytes: 100,000 tensors. */
const HEADER_MAX = 16 * 2 ** 20;
const ALIGNMENT = 8;

const Header = z.record(
  z.string(),
  z.object({
    dtype: z.literal('F32'),
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

/**
 * Reads matrices of 32-bit numbers.
 * @throws TrainingFault `adapter_mismatch` for anything else, before it allocates what the header claims
 */
export function readSafetensors(bytes: Buffer): Map<string, LoraMatrix> {
  const length = bytes.length < 8 ? Infinity : Number(bytes.readBigUInt64LE());
  if (length > Math.min(HEADER_MAX, bytes.length - 8)) throw damaged('its header does not fit');
  const start = 8 + length;
  const { __metadata__: _, ...rest } = parse(bytes.toString('utf8', 8, start));
  const header = Header.safeParse(rest).data;
  if (!header) throw damaged('its header names something else than matrices of 32-bit numbers');
  const tensors = new Map<string, LoraMatrix>();
  for (const [name, { shape, data_offsets: offsets }] of Object.entries(header)) {
    const [rows, columns] = shape;
    const [from, to] = offsets;
    if (to - from !== rows * columns * 4 || start + to > bytes.length) throw damaged(`"${name}" does not fit`);
    tensors.set(name, { rows, columns, values: floatsOf(bytes, start + from, rows * columns) });
  }
  return tensors;
}

function floatsOf(bytes: Buffer, from: number, count: number): Float32Array {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i += 1) {
    const value = bytes.readFloatLE(from + i * 4);
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
