import { describe, expect, it } from 'vitest';
import { AnswerWatch } from './answer-watch.js';
import { WorkerVitals } from './worker-peers.js';

const SETTINGS = { acceptMs: 1_000, partsMs: 2_000, probeMs: 300 };

/** A watch of a start that is sent whole at 0. */
function sentAtZero(vitals = new WorkerVitals()): AnswerWatch {
  const watch = new AnswerWatch(SETTINGS, vitals);
  watch.open();
  watch.sent(0);
  return watch;
}

describe('an unanswered start', () => {
  it('has its time, and more of it in parts', () => {
    expect(sentAtZero().judge(1_000, 0)).toBe('well');
    expect(sentAtZero().judge(1_001, 0)).toBe('this_start');
    const watch = new AnswerWatch(SETTINGS, new WorkerVitals());
    watch.open();
    expect([watch.waits, watch.judge(9_000, 9_000)]).toEqual([false, 'well']);
    watch.sentInParts(0);
    expect(watch.judge(3_000, 0)).toBe('well');
  });

  it('proves nothing while the NATS server does not answer', () => {
    expect(sentAtZero().judge(1_001, -1)).toBe('prove');
  });

  it('in parts counts only after a probe', () => {
    const watch = new AnswerWatch(SETTINGS, new WorkerVitals());
    watch.open();
    watch.sentInParts(0);
    expect([3_001, 3_300, 3_302].map((now) => watch.judge(now, 0))).toEqual(['probe', 'well', 'this_start']);
  });

  it('of a living worker is late', () => {
    const vitals = new WorkerVitals();
    const watch = sentAtZero(vitals);
    vitals.seen(900);
    expect(watch.judge(1_001, 0)).toBe('late');
  });

  it('behind another one is silent since that one', () => {
    const vitals = new WorkerVitals();
    const [earlier, later] = [sentAtZero(vitals), sentAtZero(vitals)];
    expect(later.judge(1_001, 0)).toBe('earlier_start');
    earlier.close();
    later.close();
    expect(vitals.unanswered).toBe(0);
  });
});
