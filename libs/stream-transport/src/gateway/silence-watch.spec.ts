import { describe, expect, it } from 'vitest';
import { SilenceWatch } from './silence-watch.js';

const NEVER = Number.NEGATIVE_INFINITY;

function heardAt(now: number): SilenceWatch {
  const watch = new SilenceWatch({ silenceMs: 3_000, probeMs: 500 });
  watch.heard(now);
  return watch;
}

describe('the silence of a stream', () => {
  it('of three seconds asks once, and half a second later the stream is lost', () => {
    const watch = heardAt(0);
    expect(watch.judge(3_000, NEVER)).toBe('well');
    expect(watch.judge(3_050, NEVER)).toBe('ask');
    expect(watch.judge(3_100, 3_060)).toBe('well');
    expect(watch.judge(3_550, 3_060)).toBe('lost');
  });

  it('blames nobody while the own server has not answered since', () => {
    const watch = heardAt(0);
    watch.judge(3_050, NEVER);
    expect(watch.judge(3_600, 3_000)).toBe('prove');
    expect(watch.judge(4_000, NEVER)).toBe('prove');
    expect(watch.judge(4_050, 4_010)).toBe('lost');
  });

  it('is broken by any frame, also after the question', () => {
    const watch = heardAt(0);
    watch.judge(3_050, NEVER);
    watch.heard(3_400);
    expect(watch.judge(6_000, 3_060)).toBe('well');
    expect(watch.judge(6_450, 3_060)).toBe('ask');
  });

  it('starts anew after the own connection or the own loop stood still', () => {
    const watch = heardAt(0);
    watch.gap(100);
    watch.judge(3_050, NEVER);
    watch.restart(9_000);
    expect(watch.judge(11_900, 10_000)).toBe('well');
  });
});

describe('a gap in a stream', () => {
  it('that nobody fills makes it lost, whatever else arrives', () => {
    const watch = heardAt(0);
    watch.gap(0);
    watch.gap(2_000);
    watch.heard(3_400);
    expect(watch.judge(3_500, NEVER)).toBe('well');
    expect(watch.judge(3_501, NEVER)).toBe('lost');
  });

  it('that is filled is forgotten', () => {
    const watch = heardAt(0);
    watch.gap(0);
    watch.progress();
    watch.heard(4_000);
    expect(watch.judge(4_100, NEVER)).toBe('well');
  });
});
