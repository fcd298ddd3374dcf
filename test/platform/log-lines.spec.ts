import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { until } from '../testing/until.js';

/** Far more than fits into a pipe. */
const LINES = 5_000;
const WRITER = fileURLToPath(new URL('processes/log-writer.mjs', import.meta.url));

interface Line {
  readonly service: string;
  readonly event: string;
  readonly line: number;
  /** Of `log.lines_dropped`. */
  readonly lines: number;
}

/** The whole log of a process, read only after it has written everything. */
async function logged(ending: string, count = LINES): Promise<Line[]> {
  const child = fork(WRITER, [String(count), ending], { execArgv: [], stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  try {
    await once(child, 'message');
    const output = await text(child.stdout!);
    return output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  } finally {
    child.kill('SIGKILL');
  }
}

it.each([
  ['exits at once', 'exit'],
  ['fails', 'fault'],
  ['comes to rest', 'rest'],
])('no log line is lost when a process %s', async (_name, ending) => {
  const lines = await logged(ending);
  for (const service of ['one', 'two']) {
    expect(lines.filter((line) => line.service === service).map(({ line }) => line)).toEqual(Array.from({ length: LINES }, (_, i) => i));
  }
});

it('drops and counts the lines for which a stuck reader leaves no room', async () => {
  const count = 8 * LINES;
  const lines = await logged('rest', count);
  const kept = lines.filter(({ event }) => event === 'line');
  expect(kept.length).toBeGreaterThan(count / 2);
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(9 * 1_024 * 1_024);
  expect(lines.filter(({ event }) => event === 'log.lines_dropped')).toMatchObject([
    { service: 'one', level: 'warn', lines: 2 * count - kept.length },
  ]);
});

it('an unread log collects no listeners', async () => {
  const child = fork(WRITER, [String(LINES), 'stall'], { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  try {
    const warnings = text(child.stderr!);
    await once(child, 'disconnect');
    const lines = (await text(child.stdout!)).trimEnd().split('\n');
    expect(await warnings).toBe('');
    expect(lines.filter((line) => (JSON.parse(line) as Line).event === 'later').length).toBeGreaterThan(10);
  } finally {
    child.kill('SIGKILL');
  }
});

it('a line that comes during a write waits for no other', async () => {
  const child = fork(WRITER, ['1', 'busy'], { execArgv: [], stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => (output += piece));
  try {
    await until('its last line', () => output.includes('"rested"'));
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
  }
});

it('a full disk behind a log ends no process', async () => {
  const full = openSync('/dev/full', 'w');
  const child = fork(WRITER, ['1', 'stall'], { execArgv: [], stdio: ['ignore', full, 'ignore', 'ipc'] });
  closeSync(full);
  try {
    await once(child, 'disconnect');
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
  }
});
