import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DiskWatch } from './disk-watch.js';

const open = fs.open;
let folder: string;

beforeEach(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), 'slipway-disk-'));
});
afterEach(async () => {
  fs.open = open;
  await fs.rm(folder, { recursive: true, force: true });
});

it('the disk is quiet only when all writes are done, those too that nobody waits for', async () => {
  const watch = new DiskWatch(() => undefined);
  const path = join(folder, 'file');
  const handle = await fs.open(path, 'w');
  let written = 0;
  for (let nth = 0; nth < 200; nth += 1) void handle.write(Buffer.alloc(100_000), 0, 100_000, nth * 100_000).then(() => (written += 1));
  await watch.quiet();
  expect(written).toBe(200);
  expect((await fs.stat(path)).size).toBe(20_000_000);
  await handle.close();
});

it('more than 64 MiB wait for the disk only until it has caught up', async () => {
  const watch = new DiskWatch(() => undefined);
  const handle = await fs.open(join(folder, 'file'), 'w');
  await watch.ready();
  const order: string[] = [];
  const writes = Array.from({ length: 70 }, (_, nth) => handle.write(Buffer.alloc(1_048_576), 0, 1_048_576, nth * 1_048_576));
  const ready = watch.ready().then(() => order.push('ready'));
  const first = Promise.race(writes).then(() => order.push('written'));
  await Promise.all([ready, first]);
  expect(order[0]).toBe('written');
  await Promise.all(writes);
  await handle.close();
});

it('a write that fails is told at once, whatever its caller makes of it', async () => {
  const failed: unknown[] = [];
  const watch = new DiskWatch((error) => failed.push(error));
  const handle = await fs.open(join(folder, 'file'), 'w');
  await handle.close();
  await expect(handle.write(Buffer.from('late'), 0, 4, 0)).rejects.toMatchObject({ code: 'EBADF' });
  expect(failed).toMatchObject([{ code: 'EBADF' }]);
  await watch.quiet();
});
