import { ArrayReader } from './array-reader.js';

const WRITE_AT_BYTES = 64 * 1024;

/** A line break inside of an element: as an escape in a text, where JSON allows no other; as a space elsewhere. */
function onOneLine(element: string): string {
  if (!/[\n\r]/.test(element)) return element;
  return element.replace(/"[^"\\]*(?:\\[^][^"\\]*)*"?|[\n\r]+/g, (part) =>
    part.startsWith('"') ? part.replaceAll('\n', String.raw`\n`).replaceAll('\r', String.raw`\r`) : ' ',
  );
}

/**
 * Writes a file that is one JSON array as one element per line. Everything else of an element stays as it is, byte for byte; elements
 * beyond `bound` bytes are left out.
 */
export async function* convertArray(source: AsyncIterable<Uint8Array>, bound: number): AsyncGenerator<Buffer> {
  let lines: Buffer[] = [];
  let bytes = 0;
  const add = (line: Buffer): void => {
    lines.push(line);
    bytes += line.length;
  };
  const reader = new ArrayReader(
    {
      // Latin-1 keeps every byte, whatever the encoding is.
      line: (element, start, end) => add(Buffer.from(`${onOneLine(element.toString('latin1', start, end))}\n`, 'latin1')),
      tooLong: () => undefined,
    },
    bound,
  );
  for await (const chunk of source) {
    reader.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (bytes < WRITE_AT_BYTES) continue;
    yield Buffer.concat(lines);
    [lines, bytes] = [[], 0];
  }
  reader.end();
  if (bytes > 0) yield Buffer.concat(lines);
}
