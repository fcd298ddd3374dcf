import { AccountId, DeploymentId } from '@slipway/contracts';
import { LogThreshold } from '@slipway/platform';
import { expect, it } from 'vitest';
import { describeFault } from '../serving/stream-log.js';
import { LogBook } from './log-book.js';

const silent = new LogThreshold('silent');
const item = (dep: number, credential?: string) => ({
  dep: DeploymentId.parse(dep),
  rev: 3,
  source: { kind: 'http' as const, url: 'https://engine.example', model: 'm' },
  context: null,
  slots: 1,
  threads: 1,
  default_max_tokens: null,
  ...(credential !== undefined && { credential }),
});

it('keeps lines of all sources in order, at any log level', () => {
  const book = new LogBook(silent);
  const log = book.open(item(1));
  log.logger.info({ runner: 'abc', detail: 'two words' }, 'placement.ready');
  log.logged(
    JSON.stringify({ level: 'debug', time: '2126-11-21T12:00:00.000Z', event: 'llama.log', message: 'llama_context: n_ctx = 4096' }),
  );
  log.logged(JSON.stringify({ level: 'info', time: '2126-11-21T12:00:00.000Z', outcome: 'done', ms: 3, event: 'stream' }));
  const failed = { level: 'info', time: '2126-11-21T12:00:00.000Z', event: 'stream', outcome: 'failed', code: 'timeout' };
  log.logged(JSON.stringify({ ...failed, request: 'req_4fJ2a9Z' }));
  log.logged('no json');
  log.stderr('GGML_ASSERT(n > 0) failed');
  const future = Date.parse('2126-11-21T12:00:00Z');
  expect(book.newest(DeploymentId.parse(1), 10)).toEqual([
    { at: expect.any(Number), rev: 3, no: 1, level: 'info', text: 'placement.ready runner=abc detail="two words"' },
    { at: expect.any(Number), rev: 3, no: 4, text: 'GGML_ASSERT(n > 0) failed' },
    { at: future, rev: 3, no: 2, level: 'debug', text: 'llama_context: n_ctx = 4096' },
    { at: future, rev: 3, no: 3, level: 'info', text: 'stream outcome=failed code=timeout', request: 'req_4fJ2a9Z' },
  ]);
});

it('masks a credential wherever it appears', () => {
  const book = new LogBook(silent);
  const log = book.open(item(1, 'sk-upstream-secret'));
  log.logger.error({ err: new Error('401 for sk-upstream-secret') }, 'upstream.refused');
  log.stderr('Authorization: Bearer sk-upstream-secret');
  expect(JSON.stringify(book.newest(DeploymentId.parse(1), 10))).not.toContain('upstream-secret');
});

it('leaves stack traces out, which name folders of the machine', () => {
  const book = new LogBook(silent);
  const log = book.open(item(1));
  const error = new Error('the engine hung up');
  log.logger.error({ err: error }, 'upstream.lost');
  const line = { level: 'error', time: '2126-11-21T12:00:00.000Z', event: 'stream.fault', code: 'engine_error' };
  log.logged(JSON.stringify({ ...line, fault: describeFault(error) }));
  const text = JSON.stringify(book.newest(DeploymentId.parse(1), 10));
  expect(text).toContain('the engine hung up');
  expect(text).toContain('stream.fault code=engine_error');
  expect(text).not.toContain(import.meta.dirname);
});

it('drops the deployments that were silent for longest first', () => {
  const book = new LogBook(silent);
  const first = book.open(item(1));
  for (let dep = 1; dep <= 64; dep += 1) book.open(item(dep)).stderr('here');
  first.stderr('still here');
  book.open(item(65)).stderr('here');
  expect(book.newest(DeploymentId.parse(1), 10)).toHaveLength(2);
  expect(book.newest(DeploymentId.parse(2), 10)).toEqual([]);
  expect(book.newest(DeploymentId.parse(65), 10)).toHaveLength(1);
});

it('an account with many deployments displaces no log of another', () => {
  const book = new LogBook(silent);
  const owned = (dep: number, account: number) => book.open({ ...item(dep), account: AccountId.parse(account) });
  for (const dep of [1, 2, 3]) owned(dep, 1).stderr('here');
  for (let dep = 101; dep <= 200; dep += 1) owned(dep, 2).stderr('here');
  const kept = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((dep) => book.newest(DeploymentId.parse(dep), 1).length > 0);
  expect(kept(1, 3)).toEqual([1, 2, 3]);
  expect(kept(101, 200)).toEqual(Array.from({ length: 61 }, (_, i) => 140 + i));
});

it('counts deployments without an account as one account’s', () => {
  const book = new LogBook(silent);
  for (let dep = 101; dep <= 163; dep += 1) book.open(item(dep)).stderr('here');
  for (const dep of [1, 2]) book.open({ ...item(dep), account: AccountId.parse(1) }).stderr('here');
  expect(book.newest(DeploymentId.parse(101), 1)).toEqual([]);
  expect(book.newest(DeploymentId.parse(1), 1)).toHaveLength(1);
});
