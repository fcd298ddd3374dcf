import { describe, expect, it } from 'vitest';
import { SilenceWatch } from './answer-watch.js';

const NEVER = Number.NEGATIVE_INFINITY;

function watchFrom(now: number): SilenceWatch {
  const watch = new SilenceWatch({ silenceMs: 3_000, probeMs: 500 });
  watch.frameReceived(now);
  return watch;
}

describe('the silence of a stream', () => {
  it('probes after 3 s and is lost 0.5 s later', () => {
    const watch = watchFrom(0);
    expect(watch.judge(3_000, NEVER)).toBe('well');
    expect(watch.judge(3_050, NEVER)).toBe('ask');
    expect(watch.judge(3_100, 3_060)).toBe('well');
    expect(watch.judge(3_550, 3_060)).toBe('lost');
  });

  it('proves nothing while the NATS server does not answer', () => {
    const watch = watchFrom(0);
    watch.judge(3_050, NEVER);
    expect(watch.judge(3_600, 3_000)).toBe('prove');
    expect(watch.judge(4_000, NEVER)).toBe('prove');
    expect(watch.judge(4_050, 4_010)).toBe('lost');
  });

  it('ends with any frame, even after the probe', () => {
    const watch = watchFrom(0);
    watch.judge(3_050, NEVER);
    watch.frameReceived(3_400);
    expect(watch.judge(6_000, 3_060)).toBe('well');
    expect(watch.judge(6_450, 3_060)).toBe('ask');
  });

  it('restarts after a stall or reconnect', () => {
    const watch = watchFrom(0);
    watch.gap(100);
    watch.judge(3_050, NEVER);
    watch.restart(9_000);
    expect(watch.judge(11_900, 10_000)).toBe('well');
  });
});

describe('a gap in a stream', () => {
  it('loses the stream when no replay fills it', () => {
    const watch = watchFrom(0);
    watch.gap(0);
    watch.gap(2_000);
    watch.frameReceived(3_400);
    expect(watch.judge(3_500, NEVER)).toBe('well');
    expect(watch.judge(3_501, NEVER)).toBe('lost');
  });

  it('is forgotten when it is filled', () => {
    const watch = watchFrom(0);
    watch.gap(0);
    watch.progress();
    watch.frameReceived(4_000);
    expect(watch.judge(4_100, NEVER)).toBe('well');
  });
});
