import { expect, it } from 'vitest';
import { LogRelay } from './log-relay.js';

it('keeps a bounded number of lines, and sends them in order', async () => {
  const batches: string[][] = [];
  const unread: (() => void)[] = [];
  const relay = new LogRelay((lines, sent) => {
    batches.push(lines);
    unread.push(sent);
  });
  for (let turn = 0; turn < 100; turn += 1) {
    for (let nth = 0; nth < 600; nth += 1) relay.write(`${turn} ${nth}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(batches).toHaveLength(20);
  expect(batches[0]?.slice(0, 2)).toEqual(['0 0', '0 1']);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(500);

  for (const read of unread.splice(0)) read();
  relay.write('again');
  await new Promise<void>((resolve) => {
    relay.flush(resolve);
    for (const read of unread.splice(0)) read();
  });
  expect(batches.at(-1)).toEqual(['again']);
});
