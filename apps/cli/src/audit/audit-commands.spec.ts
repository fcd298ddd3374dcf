import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runCli } from '../cli.js';
import type { Session } from '../session/session.js';
import { Terminal } from '../terminal.js';
import { audit } from './audit-commands.js';

const entry = (seq: number): object => ({ seq, hash: 'a'.repeat(64), text: `[${seq}]` });
const PAGES = [[entry(1), entry(2)], [entry(3)], []];

/** Runs `audit export` over `pages` and notes how much was printed before each page was requested. */
async function exported(pages: readonly object[][], ...options: string[]): Promise<{ text: string; printed: number[] }> {
  const parts: Buffer[] = [];
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.on('data', (part: Buffer) => parts.push(part));
  const printed: number[] = [];
  const call = (): Promise<unknown> => {
    printed.push(Buffer.concat(parts).length);
    return Promise.resolve({ entries: pages[printed.length - 1], unsealed: [] });
  };
  const session = { call, close: () => Promise.resolve() } as unknown as Session;
  const terminal = new Terminal({ stdin, stdout, stderr });
  const code = await runCli(
    { commands: [audit], terminal, cwd: '/', version: '1.2.3', variable: () => undefined, openSession: () => Promise.resolve(session) },
    ['audit', 'export', ...options],
  );
  expect(code).toBe(0);
  return { text: Buffer.concat(parts).toString(), printed };
}

it('an export prints each page before requesting the next', async () => {
  const { text, printed } = await exported(PAGES);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq),
  ).toEqual([1, 2, 3]);
  const [first = 0, second = 0, third = 0] = printed;
  expect(first).toBe(0);
  expect(second).toBeGreaterThan(first);
  expect(third).toBeGreaterThan(second);
});

it.each([
  ['of several pages', PAGES, [1, 2, 3]],
  ['of nothing', [[]], []],
] as const)('an export %s is one document with --json', async (_, pages, seqs) => {
  const { text } = await exported(pages as unknown as object[][], '--json');
  expect((JSON.parse(text) as { entries: { seq: number }[] }).entries.map(({ seq }) => seq)).toEqual(seqs);
});
