import type { DatasetLimits } from './limits.js';

/** The file as a whole is refused: `too_large` beyond a bound, `unreadable` where its compression is broken. The message is for people. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
  constructor(
    readonly reason: 'too_large' | 'unreadable',
    message: string,
  ) {
    super(message);
  }
}

/**
 * The bytes of a file, decompressed where it is gzip by its first bytes, whatever its name says.
 * @throws {FileRefused} beyond `fileBytes` or `ratio`, and where the compression is broken
 */
export async function* plainBytes(
  source: AsyncIterable<Uint8Array>,
  limits: Pick<DatasetLimits, 'fileBytes' | 'ratio'>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) throw new FileRefused('unreadable', `not built: ${chunk.length} ${limits.ratio}`);
}
