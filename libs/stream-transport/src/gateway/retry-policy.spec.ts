import type { EndFrame, ErrorFrame, Incarnation, RejectCode } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { Outcome } from './attempt-host.js';
import { type Decision, RetryPolicy, refusalOf } from './retry-policy.js';

const create = (): RetryPolicy => new RetryPolicy({ maxTries: 4, maxBusy: 16 });
const rejected = (code: RejectCode, retryMs = 100): Outcome => ({
  kind: 'rejected',
  frame: { k: 'rej', wk: 'w' as Incarnation, code, retry_ms: retryMs, used: 4, slots: 4 },
});
const failed = (code: string, retry: ErrorFrame['retry']): Outcome => ({
  kind: 'error',
  frame: { k: 'err', q: 0, code, msg: 'failed', retry },
});
const ended = (fin: EndFrame['fin']): Outcome => ({
  kind: 'end',
  end: { k: 'end', q: 0, fin, usage: { prompt: 0, cached: 0, completion: 0 }, sum: 0, tm: { queue: 0, prefill: 0, total: 0 } },
});
const codeOf = (decision: Decision): string => (decision.kind === 'fail' ? decision.error.code : decision.kind);

describe('the retry policy', () => {
  it('completes only a stream that ended cleanly', () => {
    expect(codeOf(create().decide(ended('done'), true))).toBe('complete');
    expect(codeOf(create().decide(ended('cancelled'), true))).toBe('cancelled');
  });

  it.each([{ kind: 'dead' }, { kind: 'gone' }] as const)(
    'that was lost ($kind) the stream starts elsewhere before its first event, and ends with worker_lost after it',
    (outcome) => {
      expect(create().decide(outcome, false)).toMatchObject({ kind: 'again', exclude: outcome.kind !== 'gone' });
      expect(codeOf(create().decide(outcome, true))).toBe('worker_lost');
    },
  );

  it('tries another worker when none took the start', () => {
    expect(create().decide({ kind: 'absent', settling: false }, false)).toMatchObject({ kind: 'again', exclude: true });
  });

  it('tries no other worker after one fell silent', () => {
    expect(codeOf(create().decide({ kind: 'silent', accepted: true, since: 'this_start' }, false))).toBe('worker_lost');
    expect(codeOf(create().decide({ kind: 'silent', accepted: false, since: 'this_start' }, false))).toBe('deployment_unavailable');
    expect(codeOf(create().decide({ kind: 'silent', accepted: false, since: 'earlier_start' }, false))).toBe('again');
  });

  it.each([
    ['gone', 4, 'worker_lost'],
    ['dead', 2, 'worker_lost'],
    ['late', 2, 'overloaded'],
  ] as const)('%s: loss %i is the last', (kind, losses, code) => {
    const policy = create();
    const outcomes = Array.from({ length: losses }, () => codeOf(policy.decide({ kind }, false)));
    expect(outcomes).toEqual([...Array.from({ length: losses - 1 }, () => 'again'), code]);
  });

  it('follows the retry advice of workers until the first event', () => {
    expect(create().decide(failed('engine_error', 'other'), false)).toMatchObject({ kind: 'again', exclude: true });
    expect(codeOf(create().decide(failed('engine_error', 'other'), true))).toBe('engine_error');
    expect(codeOf(create().decide(failed('context_length_exceeded', 'no'), false))).toBe('context_length_exceeded');
    expect(codeOf(create().decide(failed('from_the_future', 'no'), false))).toBe('engine_error');
  });

  it('retries full workers at once, then paused, then fails', () => {
    const policy = create();
    expect(policy.decide(rejected('busy'), false)).toMatchObject({ kind: 'again', pauseMs: 0, exclude: false });
    for (let i = 2; i <= 16; i += 1) expect(policy.decide(rejected('busy', 5_000), false)).toMatchObject({ kind: 'again', pauseMs: 1_000 });
    expect(codeOf(policy.decide(rejected('busy'), false))).toBe('overloaded');
  });

  it('places a start anew that waited for a slot in vain', () => {
    const policy = create();
    const waited: Outcome = { kind: 'error', frame: { k: 'err', q: 0, code: 'overloaded', msg: 'm', retry: 'other', waited: true } };
    for (let i = 1; i <= 16; i += 1)
      expect(policy.decide(waited, false)).toEqual({ kind: 'again', pauseMs: 0, exclude: false, error: null });
    expect(codeOf(policy.decide(waited, false))).toBe('overloaded');
    expect(refusalOf(waited)).toEqual({ kind: 'full' });
    expect(refusalOf(failed('overloaded', 'other'))).toBeNull();
  });

  it.each(['draining', 'not_here'] as const)('tries any number of workers that answer %s', (code) => {
    const policy = create();
    for (let i = 0; i < 20; i += 1) expect(policy.decide(rejected(code), false)).toMatchObject({ kind: 'again', exclude: true });
  });

  it.each(['malformed', 'incomplete'] as const)('repeats a start once after %s', (code) => {
    const policy = create();
    expect(policy.decide(rejected(code), false)).toMatchObject({ kind: 'again', exclude: code === 'malformed' });
    expect(codeOf(policy.decide(rejected(code), false))).toBe('internal');
  });

  it('counts no try just after its own reconnect', () => {
    const policy = create();
    for (let i = 0; i < 20; i += 1) {
      expect(policy.decide({ kind: 'absent', settling: true }, false)).toMatchObject({ kind: 'again', exclude: false, pauseMs: 100 });
    }
    expect(refusalOf({ kind: 'absent', settling: true })).toBeNull();
  });

  it('reports to the chooser only what concerns the worker', () => {
    expect(refusalOf(rejected('busy'))).toEqual({ kind: 'rejected', code: 'busy', used: 4, slots: 4 });
    expect(refusalOf({ kind: 'absent', settling: false })).toEqual({ kind: 'absent' });
    expect(refusalOf({ kind: 'dead' })).toEqual({ kind: 'absent' });
    expect(refusalOf({ kind: 'silent', accepted: false, since: 'this_start' })).toEqual({ kind: 'silent' });
    for (const kind of ['gone', 'late', 'interrupted', 'unsent', 'too_large', 'corrupt'] as const) expect(refusalOf({ kind })).toBeNull();
  });
});
