import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isRecord } from '@slipway/contracts';
import { Header } from 'tar';
import { BLOCK, MANIFEST_MEMBER, SUM_MEMBER } from './archive-writer.js';
import { ARCHIVE_FORMAT, Manifest, partName } from './manifest.js';

const expand = promisify(gunzip);

/** Bytes that are hashed at a time. */
const READ_BYTES = 2 ** 20;
const SUM_TEXT = 65;

/** An archive cannot be restored. `damaged` = it is not what was written; `newer` = a newer release made it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';

  constructor(
    readonly code: 'damaged' | 'newer',
    message: string,
  ) {
    super(message);
  }
}

const damaged = (why: string): ArchiveError => new ArchiveError('damaged', `The archive is damaged: ${why}.`);

/** Where a member lies in the file. */
interface Member {
  readonly header: number;
  readonly from: number;
  readonly bytes: number;
}

/** Reads a backup archive. */
export class ArchiveReader {
  private constructor(
    private readonly file: FileHandle,
    private readonly members: ReadonlyMap<string, Member>,
    readonly manifest: Manifest,
  ) {}

  /**
   * Opens an archive without checking all of it.
   * @throws ArchiveError; the error of the file system where there is none
   */
  static async open(path: string): Promise<ArchiveReader> {
    const file = await open(path, 'r');
    try {
      const members = await membersOf(file);
      return new ArchiveReader(file, members, manifestOf(await bodyOf(file, members, MANIFEST_MEMBER)));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Checks each byte against the hash at the archive's end. @throws ArchiveError `damaged` */
  async verify(): Promise<void> {
    const last = this.members.get(SUM_MEMBER);
    const text = (await bodyOf(this.file, this.members, SUM_MEMBER)).toString('latin1');
    const hash = createHash('sha256');
    for (let at = 0; last && at < last.header;) {
      const read = await readAt(this.file, at, Math.min(READ_BYTES, last.header - at));
      hash.update(read);
      at += read.length;
    }
    if (text !== `${hash.digest('hex')}\n`) throw damaged('its bytes do not have the hash that they were written with');
    const { size } = await this.file.stat();
    const end = (last?.from ?? 0) + BLOCK;
    const rest = await readAt(this.file, (last?.from ?? 0) + SUM_TEXT, size - (last?.from ?? 0) - SUM_TEXT);
    if (size !== end + 2 * BLOCK || rest.some((byte) => byte !== 0)) throw damaged('something was added to it, or its end is missing');
  }

  /** The bytes that `addParts` wrote under this folder. @throws ArchiveError `damaged` */
  async *parts(folder: string, count: number): AsyncGenerator<Buffer> {
    for (let no = 1; no <= count; no += 1) {
      const packed = await bodyOf(this.file, this.members, partName(folder, no));
      yield await expand(packed).catch(() => {
        throw damaged(`${partName(folder, no)} cannot be expanded`);
      });
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

async function readAt(file: FileHandle, from: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, bytes));
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await file.read(buffer, at, bytes - at, from + at);
    if (bytesRead === 0) throw damaged('it ends too early');
    at += bytesRead;
  }
  return buffer;
}

/** The members up to the hash at the end. */
async function membersOf(file: FileHandle): Promise<Map<string, Member>> {
  const { size: whole } = await file.stat();
  const members = new Map<string, Member>();
  for (let at = 0; !members.has(SUM_MEMBER);) {
    const { cksumValid, path, size } = new Header(await readAt(file, at, BLOCK), 0);
    if (!cksumValid || path === undefined || size === undefined) throw damaged('it is no backup of Slipway, or a header is wrong');
    const from = at + BLOCK;
    if (from + size > whole) throw damaged('it ends too early');
    members.set(path, { header: at, from, bytes: size });
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  return members;
}

async function bodyOf(file: FileHandle, members: ReadonlyMap<string, Member>, name: string): Promise<Buffer> {
  const member = members.get(name);
  if (!member) throw damaged(`${name} is missing`);
  return readAt(file, member.from, member.bytes);
}

function manifestOf(bytes: Buffer): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw damaged('its manifest cannot be read');
  }
  const format = isRecord(value) ? value['format'] : undefined;
  if (typeof format === 'number' && format > ARCHIVE_FORMAT) {
    const release = isRecord(value) ? String(value['release']) : 'a newer one';
    throw new ArchiveError(
      'newer',
      `The archive has format ${format}, and this release reads up to ${ARCHIVE_FORMAT}. Release ${release} made it.`,
    );
  }
  const manifest = Manifest.safeParse(value);
  if (!manifest.success) throw damaged(`its manifest is wrong at ${manifest.error.issues[0]?.path.join('.')}`);
  return manifest.data;
}
