import { expect, it } from 'vitest';
import { LineSplitter } from './runner-child.js';

it('joins lines from chunks, drops empty ones, cuts long ones', () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const byte of Buffer.from('größe\r\n\n  \nzwei\n')) splitter.push(Buffer.from([byte]));
  for (let nth = 0; nth < 100; nth += 1) splitter.push(Buffer.alloc(1_000, 'x'));
  splitter.push(Buffer.from('\nlast\n'));
  expect(lines.map((line) => line.slice(0, 5))).toEqual(['größe', 'zwei', 'xxxxx', 'last']);
  expect(lines[2]).toHaveLength(4_000);
});
