import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

const known = new Map<string, string>();

/** SHA-256 of a whole file in hex. A file that was not changed is read once. */
export async function fileSha256(path: string): Promise<string> {
  const { dev, ino, size, mtimeMs } = await stat(path);
  const version = `${path}\0${dev}\0${ino}\0${size}\0${mtimeMs}`;
  const before = known.get(version);
  if (before !== undefined) return before;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Buffer);
  const sum = hash.digest('hex');
  known.set(version, sum);
  return sum;
}
