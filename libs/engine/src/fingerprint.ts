import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const SAMPLE_BYTES = 1024 * 1024;
const SAMPLES = 8;

/**
 * Fingerprint of a model file and of the engine that runs it. Large files are sampled (the head with metadata and
 * tokenizer, the tail, and six places between), because hashing tens of gigabytes would double the time of a load.
 * @param engine what else decides the answers: its name, version and options
 */
export async function fingerprint(path: string, engine: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const hash = createHash('sha256').update(`${engine}\n${size}\n`);
    const last = Math.max(0, size - SAMPLE_BYTES);
    const offsets = new Set(Array.from({ length: SAMPLES }, (_, i) => Math.floor((last * i) / (SAMPLES - 1))));
    const buffer = Buffer.alloc(SAMPLE_BYTES);
    for (const offset of offsets) {
      const { bytesRead } = await file.read(buffer, 0, SAMPLE_BYTES, offset);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return `llama-${hash.digest('hex').slice(0, 16)}`;
  } finally {
    await file.close();
  }
}
