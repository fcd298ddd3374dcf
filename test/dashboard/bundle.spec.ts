import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../../apps/dashboard/dist', import.meta.url));
/** Bytes of a first load as the console sends them, by brotli. Beside them comes the font of 29 KB, which text does not wait for. */
const FIRST_LOAD_MAX = 260 * 1024;

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

let chunks: Readonly<Record<string, Chunk>>;
beforeAll(async () => {
  chunks = JSON.parse(await readFile(join(DIST, '.vite/manifest.json'), 'utf8')) as typeof chunks;
});

/** A chunk and all that must be there before it runs. */
function closure(names: readonly string[], seen = new Set<string>()): Set<string> {
  for (const name of names.filter((one) => !seen.has(one))) {
    seen.add(name);
    closure(chunks[name]?.imports ?? [], seen);
  }
  return seen;
}

/** Small files have no compressed copy. */
const sentSize = async (file: string): Promise<number> => (await stat(join(DIST, `${file}.br`)).catch(() => stat(join(DIST, file)))).size;
const sizeOf = async (files: Iterable<string>): Promise<number> =>
  (await Promise.all([...new Set(files)].map(sentSize))).reduce((a, b) => a + b, 0);

const entry = (): string => Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? '';
const screens = (): string[] => Object.keys(chunks).filter((name) => name.endsWith('.screen.tsx'));

describe('the first load of the dashboard', () => {
  it('stays within its budget, whichever screen it is', async () => {
    expect(screens().length).toBeGreaterThan(5);
    for (const screen of screens()) {
      const loaded = [...closure([entry(), screen])].map((name) => chunks[name]);
      const files = loaded.flatMap((chunk) => (chunk ? [chunk.file, ...(chunk.css ?? [])] : []));
      expect(await sizeOf(files), screen).toBeLessThan(FIRST_LOAD_MAX);
    }
  });

  it('holds no chart', () => {
    const first = [...closure([entry(), ...screens()])].join(' ');
    expect(first).not.toMatch(/uplot|charts\/plot/i);
    expect(Object.keys(chunks).some((name) => name.endsWith('charts/plot.tsx'))).toBe(true);
  });
});

describe('what is delivered', () => {
  it('holds no checks of the services and no sample data', async () => {
    const files = (await readdir(join(DIST, 'assets'))).filter((name) => name.endsWith('.js'));
    const text = (await Promise.all(files.map((name) => readFile(join(DIST, 'assets', name), 'utf8')))).join('\n');
    expect(text).not.toContain('ZodError');
    expect(text).not.toMatch(/svc_(?:dep|mcp)_[0-9A-Za-z]{10}/);
    expect(text).not.toMatch(/lorem ipsum/i);
  });

  it('has nothing in its markup that the content security policy forbids', async () => {
    const html = await readFile(join(DIST, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/i);
    expect(html).not.toMatch(/(?:src|href)="(?!\/)/);
  });
});
