import { expect, it } from 'vitest';
import { lineWriter } from './progress.mjs';

const written = (isTTY: boolean, lines: readonly string[], columns = 20): string => {
  let text = '';
  const write = lineWriter({ isTTY, columns, write: (part: string) => ((text += part), true) });
  for (const line of lines) write(`${line}\n`);
  return text;
};
const LINES = ['… Building (0.7 s)', '… Building the dashboard (10.0 s)', '✓ Building (11.2 s)', 'Ready'];

it('a running step keeps to one line of a terminal', () => {
  const again = '\x1b[1A\x1b[2K';
  expect(written(true, LINES)).toBe(`… Building (0.7 s)\n${again}… Building the dash\n${again}✓ Building (11.2 s)\nReady\n`);
});

it('a terminal without a width gets whole lines', () => {
  expect(written(true, LINES.slice(0, 1), 0)).toBe('… Building (0.7 s)\n');
});

it('a file of the output has every line', () => {
  expect(written(false, LINES)).toBe(`${LINES.join('\n')}\n`);
});
