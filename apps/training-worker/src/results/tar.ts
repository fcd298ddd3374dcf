import { constants, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TrainingFault } from '../training-fault.js';

const BLOCK = 512;
/** A link is not followed: it could lead to what its author may not read. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW;
/** Most files of an archive. */
const FILES_MAX = 64;
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Packs files into one (ustar), under their own names, without times and owners: equal files make equal archives. */
export async function packTar(path: string, files: readonly string[]): Promise<void> {
  const parts: Buffer[] = [];
  for (const file of files) {
    const bytes = await readFile(file, { flag: PLAIN });
    parts.push(headerOf(basename(file), bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK));
  }
  await writeFile(path, Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}

/**
 * Unpacks an archive of plain files into a folder.
 * @throws TrainingFault `storage_failed` for one that holds anything else, or a name with a path
 */
export async function unpackTar(path: string, folder: string): Promise<void> {
  const bytes = await readFile(path);
  await mkdir(folder, { recursive: true });
  let at = 0;
  for (let count = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; count += 1) {
    const name = bytes.toString('latin1', at, at + 100).replace(/\0.*$/s, '');
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8);
    const kind = bytes.toString('latin1', at + 156, at + 157);
    const from = at + BLOCK;
    if (!SAFE_NAME.test(name) || kind !== '0' || !(size >= 0) || from + size > bytes.length || count >= FILES_MAX) throw unsound();
    await writeFile(join(folder, name), bytes.subarray(from, from + size));
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  if (at === 0) throw unsound();
}

const unsound = (): TrainingFault => new TrainingFault('storage_failed', 'A stored checkpoint is damaged.');

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0, 100, 'latin1');
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** Size of a file, in bytes. */
export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size;
