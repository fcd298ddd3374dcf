import { closeSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLog, tailOf, trimLog } from './process-log.js';

const LARGE = 'x'.repeat(10 * 1024 * 1024 + 1);

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-log-'));
  path = join(folder, 'gateway-1.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a large log is rotated at the next start', () => {
  writeFileSync(path, LARGE);
  closeSync(openLog(path));
  expect(statSync(path).size).toBe(0);
  expect(statSync(`${path}.1`).size).toBe(LARGE.length);
});

it('a large log is rotated under a writing process', () => {
  const log = openLog(path);
  writeSync(log, LARGE);
  trimLog(path);
  writeSync(log, 'after\n');
  closeSync(log);
  expect(readFileSync(path, 'utf8')).toBe('after\n');
  expect(statSync(`${path}.1`).size).toBe(LARGE.length);
});

it('the tail holds lines since the start as text', () => {
  writeFileSync(path, 'of an earlier start\n');
  const since = statSync(path).size;
  const line = {
    level: 'error',
    time: 't',
    service: 'gateway',
    pid: 1,
    port: 8080,
    err: { message: 'in use', stack: 'a\nb' },
    event: 'http.failed',
  };
  writeFileSync(path, `plain words\n\n${JSON.stringify(line)}\n`, { flag: 'a' });
  expect(tailOf(path, since)).toBe('plain words\nerror http.failed: in use {"port":8080}');
});

it('the tail keeps the last lines only', () => {
  writeFileSync(path, Array.from({ length: 100 }, (_, n) => `line ${n}`).join('\n'));
  expect(tailOf(path, 0, 2)).toBe('line 98\nline 99');
});
