import { ImportRefusal } from './import-refusal.js';

const BLOCK = 512;
/** Most entries of an archive. */
const ENTRIES_MAX = 256;
const CHECKSUM = { from: 148, to: 156 } as const;
/** Folders, and headers that say more of the next entry than is needed here. */
const PASSED_OVER = new Set(['5', 'x', 'g', 'L', 'K']);

/** A file in an archive, by the last part of its path, and where its bytes lie. */
export interface TarFile {
  readonly name: string;
  readonly from: number;
  readonly bytes: number;
}

/** A part of a file that is an archive. */
export interface TarRange {
  readonly read: (from: number, bytes: number) => Promise<Buffer>;
  readonly from: number;
  readonly bytes: number;
}

/** Whether these are the first bytes of a tar archive: its header has a checksum. */
export function isTar(head: Buffer): boolean {
  if (head.length < BLOCK) return false;
  const spaces = (CHECKSUM.to - CHECKSUM.from) * 0x20;
  const sum = head.subarray(0, BLOCK).reduce((all, byte, at) => (at >= CHECKSUM.from && at < CHECKSUM.to ? all : all + byte), spaces);
  return sum === Number.parseInt(textOf(head, CHECKSUM.from, CHECKSUM.to).trim(), 8);
}

/** Text to the first NUL. */
const textOf = (header: Buffer, from: number, to: number): string => header.toString('latin1', from, to).replace(/\0.*$/s, '');

/** One entry of an archive; `isFile` false = it is passed over. */
interface Entry {
  readonly name: string;
  readonly isFile: boolean;
  readonly bytes: number;
}

/** @param room bytes of the archive behind the header */
function entryOf(header: Buffer, room: number): Entry {
  const bytes = Number.parseInt(textOf(header, 124, 136).trim(), 8);
  if (!isTar(header) || !(bytes >= 0) || bytes > room) throw unsound('it ends early, or a header is wrong');
  const kind = header.toString('latin1', 156, 157);
  const isFile = kind === '0' || kind === '\0';
  if (!isFile && !PASSED_OVER.has(kind)) throw unsound('it holds links or devices');
  const name = textOf(header, 0, 100).split('/').at(-1) ?? '';
  // Programs on macOS add a file beside each one, whose name begins so.
  return { name, isFile: isFile && !name.startsWith('._'), bytes };
}

/**
 * The files of an archive, folders left away.
 * @throws ImportRefusal for one that is damaged, or holds links or many files
 */
export async function filesIn({ read, from, bytes: whole }: TarRange): Promise<TarFile[]> {
  const files: TarFile[] = [];
  const end = from + whole;
  let at = from;
  for (let count = 0; at + BLOCK <= end; count += 1) {
    const header = await read(at, BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    if (count >= ENTRIES_MAX) throw unsound(`it holds more than ${ENTRIES_MAX} files`);
    at += BLOCK;
    const { name, isFile, bytes } = entryOf(header, end - at);
    if (isFile) files.push({ name, from: at, bytes });
    at += Math.ceil(bytes / BLOCK) * BLOCK;
  }
  if (at !== end) throw unsound('it ends early');
  return files;
}

const unsound = (what: string): ImportRefusal => new ImportRefusal('not_an_adapter', `The tar archive cannot be read: ${what}.`);
