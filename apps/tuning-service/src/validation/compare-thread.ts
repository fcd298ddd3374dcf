import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { readStored } from '../blobs/sealed-file.js';
import { compareIndexes } from './compare-indexes.js';

/** The indexes of two versions. */
export interface CompareTask {
  readonly from: { readonly path: string; readonly key: Uint8Array | null; readonly bytes: number };
  readonly to: { readonly path: string; readonly key: Uint8Array | null; readonly bytes: number };
}

async function whole({ path, key, bytes }: CompareTask['from']): Promise<Buffer> {
  const raw = (start: number, end: number): Readable => (end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([]));
  const chunks: Buffer[] = [];
  for await (const chunk of readStored({ raw, key: key && Buffer.from(key), bytes })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const { from, to } = workerData as CompareTask;
parentPort?.postMessage(compareIndexes(await whole(from), await whole(to)));
