import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const { bareExports } = (await import(new URL('front-door-docs.mjs', import.meta.url).href)) as { bareExports: (root: string) => string[] };

const PACKAGE = JSON.stringify({ exports: { '.': { source: './src/index.ts' }, './part': { source: './src/part.ts' } } });

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slipway-docs-'));
  await write('libs/one/package.json', PACKAGE);
  await write('libs/one/src/part.ts', '/** A part. */\nexport const PART = 1;\n');
});
afterEach(() => rm(root, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

it('an undocumented export is reported with its place', async () => {
  await write('libs/one/src/index.ts', "export * from './rest.js';\nexport { b as renamed } from './named.js';\n");
  await write(
    'libs/one/src/rest.ts',
    'export const bare = 1;\n// No docstring.\nexport type Bare = 1;\n/** Says. */\nexport class Documented {}\n',
  );
  await write('libs/one/src/named.ts', '/** Not of b. */\nconst a = 1;\nexport const b = a;\n');
  expect(bareExports(root)).toEqual(['libs/one/src/named.ts:3 renamed', 'libs/one/src/rest.ts:1 bare', 'libs/one/src/rest.ts:3 Bare']);
});

it('one docstring covers a value and its type', async () => {
  await write('libs/one/src/index.ts', '/** A word. */\nexport const Word = 1;\nexport type Word = typeof Word;\n');
  expect(bareExports(root)).toEqual([]);
});

it('every front door of a library is checked', async () => {
  await write('libs/one/src/index.ts', '/** One. */\nexport const one = 1;\n');
  await write('libs/one/src/part.ts', 'export const part = 1;\n');
  expect(bareExports(root)).toEqual(['libs/one/src/part.ts:1 part']);
});

it('exports of other packages need no docstring here', async () => {
  await write('libs/one/src/index.ts', "export { z } from 'zod';\n/** One. */\nexport const one = 1;\n");
  expect(bareExports(root)).toEqual([]);
});

it('a missing front door is an error', async () => {
  expect(() => bareExports(root)).toThrow('libs/one/src/index.ts is missing, or exports nothing.');
  await rm(join(root, 'libs/one'), { recursive: true });
  expect(() => bareExports(root)).toThrow('names a front door.');
});
