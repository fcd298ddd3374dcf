import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, posix, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
/** Smaller files gain nothing. In bytes. */
const COMPRESS_FROM = 512;
const INDEX = '/index.html';
/** Their names change with their content. */
const HASHED = /^\/assets\//;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** One file, ready to be sent. */
export interface DashboardFile {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly isPage: boolean;
  readonly plain: Buffer;
  readonly gzip: Buffer | null;
  readonly br: Buffer | null;
}

async function read(folder: string, path: string): Promise<DashboardFile> {
  const plain = await readFile(join(folder, path));
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const small = plain.length < COMPRESS_FROM || !/^(text|image\/svg)/.test(type);
  return {
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    cacheControl: HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    isPage: path === INDEX,
    plain,
    gzip: small ? null : await zip(plain, { level: 9 }),
    br: small ? null : await brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  };
}

/** The built dashboard, held in memory: no request reaches the file system. */
export class DashboardFiles {
  private constructor(private readonly files: ReadonlyMap<string, DashboardFile>) {}

  /** Reads a build; one that is missing has no files. */
  static async load(folder: string): Promise<DashboardFiles> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length));
    const paths = names.map((name) => posix.join('/', name.split(sep).join('/')));
    return new DashboardFiles(new Map(await Promise.all(paths.map(async (path) => [path, await read(folder, path)] as const))));
  }

  /** The page that holds the application; null where the dashboard was not built. */
  get page(): DashboardFile | null {
    return this.find(INDEX);
  }

  /** @param path as in a URL, from the slash on */
  find(path: string): DashboardFile | null {
    return this.files.get(path) ?? null;
  }
}
