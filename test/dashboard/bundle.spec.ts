import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../../apps/dashboard/dist', import.meta.url));
/** What somebody on a slow line waits for, in bytes after gzip. */
const SCRIPTS_MAX = 220 * 1024;
const STYLES_MAX = 25 * 1024;

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

const zipped = async (file: string): Promise<number> => gzipSync(await readFile(join(DIST, file)), { level: 9 }).length;
const sizeOf = async (files: Iterable<string>): Promise<number> =>
  (await Promise.all([...new Set(files)].map(zipped))).reduce((a, b) => a + b, 0);

const entry = (): string => Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? '';
const screens = (): string[] => Object.keys(chunks).filter((name) => name.endsWith('.screen.tsx'));

describe('the first load of the dashboard', () => {
  it('stays within its budget, whichever screen it is', async () => {
    expect(screens().length).toBeGreaterThan(5);
    for (const screen of screens()) {
      const names = [...closure([entry(), screen])];
      expect(await sizeOf(names.map((name) => chunks[name]?.file ?? '')), screen).toBeLessThan(SCRIPTS_MAX);
      expect(await sizeOf(names.flatMap((name) => chunks[name]?.css ?? [])), screen).toBeLessThan(STYLES_MAX);
    }
  });

  it('holds no chart', () => {
    const first = [...closure([entry(), ...screens()])].join(' ');
    expect(first).not.toMatch(/uplot|chart/i);
    expect(Object.keys(chunks).some((name) => name.includes('usage-chart'))).toBe(true);
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
