import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { DatasetLimits } from '../limits.js';

/** The file as a whole is refused: `too_large` beyond a bound, `unreadable` where its compression is broken. The message is for people. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  constructor(
    readonly reason: 'too_large' | 'unreadable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A little text compresses far; below this size the ratio says nothing. */
const RATIO_FROM_BYTES = 1024 ** 2;

const isGzip = (head: Buffer): boolean => head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b;

const asBuffer = (chunk: Uint8Array): Buffer => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** A number of bytes as people write it: `2 GiB`, `1 MiB`, `1500 bytes`. */
export function bytesInWords(bytes: number): string {
  const [size, unit] = [
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
  ].find(([size]) => bytes >= Number(size) && bytes % Number(size) === 0) ?? [1, 'bytes'];
  return `${bytes / Number(size)} ${unit}`;
}

/** The first two bytes or more as one chunk, then the rest, all of it counted. */
async function* counted(source: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of source) {
    count(chunk.length);
    if (head === null) yield asBuffer(chunk);
    else {
      head = Buffer.concat([head, chunk]);
      if (head.length < 2) continue;
      yield head;
      head = null;
    }
  }
  if (head !== null && head.length > 0) yield head;
}

async function* gunzipped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = Readable.from(source, { objectMode: false });
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  input.on('error', (error) => gunzip.destroy(error));
  input.pipe(gunzip);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!code.startsWith('Z_') && code !== 'ERR_TRAILING_JUNK_AFTER_STREAM_END') throw error;
    throw new FileRefused('unreadable', 'The file is gzip, but it is cut or damaged. Compress it again.', { cause: error });
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}

/**
 * The bytes of a file, decompressed where it is gzip by its first bytes, whatever its name says.
 * @throws {FileRefused} beyond `fileBytes` or `ratio`, and where the compression is broken
 */
export async function* plainBytes(
  source: AsyncIterable<Uint8Array>,
  limits: Pick<DatasetLimits, 'fileBytes' | 'ratio'>,
): AsyncGenerator<Buffer> {
  let bytesIn = 0;
  let bytesOut = 0;
  const chunks = counted(source, (bytes) => (bytesIn += bytes));
  const first = await chunks.next();
  if (first.done) return;
  const compressed = isGzip(first.value);
  const all = joined(first.value, chunks);
  for await (const chunk of compressed ? gunzipped(all) : all) {
    bytesOut += chunk.length;
    if (bytesOut > limits.fileBytes) {
      throw new FileRefused('too_large', `The file is larger than ${bytesInWords(limits.fileBytes)}${compressed ? ' decompressed' : ''}.`);
    }
    if (compressed && bytesOut > RATIO_FROM_BYTES && bytesOut > bytesIn * limits.ratio) {
      throw new FileRefused('too_large', `The file grows more than ${limits.ratio} times when it is decompressed.`);
    }
    yield chunk;
  }
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}
