import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installedPackages } from './installed-packages.js';

const NODE = `node-${process.platform}-${process.arch}`;
const CACHES = fileURLToPath(new URL('../../.cache', import.meta.url));

/** Pins a Node.js that lies beside it, so that nothing is fetched. */
let manifest: string;
beforeAll(async () => {
  manifest = await mkdtemp(join(tmpdir(), 'slipway-packages-'));
  await mkdir(join(manifest, 'beside/bin'), { recursive: true });
  const write = (path: string, content: object): Promise<void> => writeFile(join(manifest, path), JSON.stringify(content));
  const wanted = { name: 'pinned', version: '1.0.0', dependencies: { [NODE]: 'file:beside' } };
  await write('package.json', wanted);
  await write('beside/package.json', { name: NODE, version: '1.0.0' });
  await write('beside/bin/node', {});
  await write('package-lock.json', {
    ...wanted,
    lockfileVersion: 3,
    requires: true,
    packages: { '': wanted, beside: { name: NODE, version: '1.0.0' }, [`node_modules/${NODE}`]: { resolved: 'beside', link: true } },
  });
});
afterAll(async () => {
  await rm(manifest, { recursive: true, force: true });
  await rm(join(CACHES, basename(manifest)), { recursive: true, force: true });
});

it('packages that two suites install at once stay where the first one of them found them', async () => {
  const installing = [installedPackages(manifest, basename(manifest)), installedPackages(manifest, basename(manifest))];
  const first = await Promise.race(installing);
  const found = await stat(first.folder);
  const both = await Promise.all(installing);
  expect(both).toEqual([first, first]);
  expect((await stat(first.folder)).ino).toBe(found.ino);
});
