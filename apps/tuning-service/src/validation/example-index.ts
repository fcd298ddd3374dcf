import type { CanonicalBatch } from '@slipway/datasets';

/** Bytes of one record: offset u64, line u32, warnings u32, hash of the example u64, hash of its prompt u64; little-endian. */
export const RECORD_BYTES = 32;

/** Where one example of a version is, and what is known of it without its text. */
export interface IndexRecord {
  readonly offset: number;
  readonly line: number;
  readonly warnings: number;
  readonly example: bigint;
  readonly prompt: bigint;
}

/** Records of a batch whose first line begins at `offset` of the canonical file. */
export function recordsOf(batch: CanonicalBatch, offset: number): Buffer {
  const records = Buffer.alloc(batch.count * RECORD_BYTES);
  let at = offset;
  for (let i = 0; i < batch.count; i += 1) {
    const base = i * RECORD_BYTES;
    records.writeBigUInt64LE(BigInt(at), base);
    records.writeUInt32LE(batch.lines[i] ?? 0, base + 8);
    records.writeUInt32LE((batch.warnings[i] ?? 0) >>> 0, base + 12);
    records.writeBigUInt64LE(batch.examples[i] ?? 0n, base + 16);
    records.writeBigUInt64LE(batch.prompts[i] ?? 0n, base + 24);
    at += batch.lengths[i] ?? 0;
  }
  return records;
}

/** One record of a buffer of records. */
export function recordAt(records: Buffer, i: number): IndexRecord {
  const base = i * RECORD_BYTES;
  return {
    offset: Number(records.readBigUInt64LE(base)),
    line: records.readUInt32LE(base + 8),
    warnings: records.readUInt32LE(base + 12),
    example: records.readBigUInt64LE(base + 16),
    prompt: records.readBigUInt64LE(base + 24),
  };
}
