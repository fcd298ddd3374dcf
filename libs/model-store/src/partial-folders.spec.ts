import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PartialFolders } from './partial-folders.js';

const DIGEST = 'd'.repeat(64);

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'slipway-partial-'));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

it('agents of one process download beside each other', async () => {
  const [one, other] = [new PartialFolders(cache), new PartialFolders(cache)];
  const [first, second] = [await one.take(DIGEST), await other.take(DIGEST)];
  expect(second).not.toBe(first);
  await other.drop(DIGEST);
  expect([existsSync(first), existsSync(second)]).toEqual([true, true]);
});

it('a folder that is given back empty is removed', async () => {
  const folders = new PartialFolders(cache);
  const path = await folders.take(DIGEST);
  await folders.giveBack(path);
  expect(existsSync(path)).toBe(false);
});
