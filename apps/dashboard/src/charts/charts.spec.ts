import { describe, expect, it } from 'vitest';
import { colourOf, isEmpty, stack } from './chart-model.js';
import { chartSummary, legendValue } from './chart-summary.js';
import { nextHidden } from './legend.js';
import { sparkPaths } from './sparkline.js';
import { fillSteps, snapRange, stepsOf } from './steps.js';
import { axisLabel, stepLabel, timeTicks, valueTicks } from './ticks.js';
import { tooltipRows } from './tooltip.js';
import { DAY, HOUR, MINUTE, momentOf, wallOf, zoneOf } from './zone.js';

const at = (text: string): number => Date.parse(text);
const unit = { format: (value: number) => `${value} ms` };

describe('piled up series', () => {
  it('hold the sum of all below them', () => {
    expect(
      stack([
        [1, 2],
        [10, 20],
        [100, null],
      ]),
    ).toEqual([
      [1, 2],
      [11, 22],
      [111, 22],
    ]);
  });

  it('have a gap only where no part has a value', () => {
    expect(
      stack([
        [1, null, null],
        [null, 2, null],
      ]),
    ).toEqual([
      [1, 0, null],
      [1, 2, null],
    ]);
  });
});

describe('steps of a range', () => {
  const range = { from: 0, to: 3 * MINUTE, stepMs: MINUTE };

  it('without a point hold zero for counts and a gap for measurements', () => {
    const points = [
      { at: MINUTE + 7, value: 5 },
      { at: 4 * MINUTE, value: 9 },
      { at: -1, value: 9 },
    ];
    expect(fillSteps(range, points, 0)).toEqual([0, 5, 0]);
    expect(fillSteps(range, points, null)).toEqual([null, 5, null]);
  });

  it('include the one that the range ends in', () => {
    expect(stepsOf({ ...range, to: 2 * MINUTE + 1 })).toEqual([0, MINUTE, 2 * MINUTE]);
  });
});

describe('ticks of values', () => {
  it.each([
    [1, true, [0, 1]],
    [2, true, [0, 1, 2]],
    [3, true, [0, 1, 2, 3]],
    [0, true, [0, 1]],
    [48, true, [0, 10, 20, 30, 40, 50]],
    [0.3, false, [0, 0.1, 0.2, 0.3]],
    [1_234, false, [0, 500, 1_000, 1_500]],
  ])('for at most %d are round numbers (whole: %s)', (most, isWhole, ticks) => {
    expect(valueTicks(most, 180, isWhole)).toEqual(ticks);
  });

  it('reach the highest value and keep their distance', () => {
    for (let most = 0.013; most < 1e9; most *= 1.37) {
      const ticks = valueTicks(most, 160);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * 0.999_999);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeLessThanOrEqual(most * 3);
    }
  });
});

describe('ticks of time', () => {
  it('stand at full hours, and name the day at midnight', () => {
    const ticks = timeTicks(at('2026-11-20T16:20:00Z'), at('2026-11-21T07:50:00Z'), 500, 'UTC');
    expect(ticks.map(({ label }) => label)).toEqual(['18:00', '21:00', '21 Nov', '03:00', '06:00']);
  });

  it('stand at hours of the zone, also where that is half an hour off', () => {
    const [tick] = timeTicks(at('2026-11-20T00:05:00Z'), at('2026-11-20T06:00:00Z'), 400, 'Asia/Kolkata');
    expect(tick).toEqual({ at: at('2026-11-20T00:30:00Z'), label: '06:00' });
  });

  it('stay at midnight where clocks are put back', () => {
    const ticks = timeTicks(at('2026-10-24T00:00:00Z'), at('2026-10-27T12:00:00Z'), 400, 'Europe/Berlin');
    expect(ticks.map((tick) => wallOf(tick.at, 'Europe/Berlin') % DAY)).toEqual(ticks.map(() => 0));
    expect(ticks.map(({ label }) => label)).toEqual(['25 Oct', '26 Oct', '27 Oct']);
  });

  it('are Mondays or months over long ranges', () => {
    const weeks = timeTicks(at('2026-09-01T00:00:00Z'), at('2026-11-20T00:00:00Z'), 900, 'UTC');
    expect(weeks.every((tick) => new Date(tick.at).getUTCDay() === 1)).toBe(true);
    const months = timeTicks(at('2025-11-20T00:00:00Z'), at('2026-11-20T00:00:00Z'), 400, 'UTC');
    expect(months.map(({ label }) => label)).toEqual(['2026', 'Apr', 'Jul', 'Oct']);
  });

  it.each(['UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'])('lead from clocks of %s back to the moment', (zone) => {
    for (let moment = at('2026-01-01T00:00:00Z'); moment < at('2027-01-01T00:00:00Z'); moment += 7 * DAY + HOUR) {
      expect(momentOf(wallOf(moment, zone), zone)).toBe(moment);
    }
  });

  it('are in UTC where steps are days', () => {
    expect(zoneOf('local', DAY)).toBe('UTC');
    expect(stepLabel(at('2026-11-21T00:00:00Z'), DAY, 'UTC')).toBe('Sat 21 Nov 2026');
    expect(stepLabel(at('2026-11-21T14:05:00Z'), MINUTE, 'America/New_York')).toBe('21 Nov, 09:05');
  });

  it('names a step of an axis that is no time', () => {
    const axis = { title: 'Step', format: String };
    expect(axisLabel({ axis, stepMs: 1, zone: 'UTC' }, 240)).toBe('Step 240');
    expect(axisLabel({ stepMs: DAY, zone: 'UTC' }, at('2026-11-21T00:00:00Z'))).toBe('Sat 21 Nov 2026');
  });
});

describe('rows of a tooltip', () => {
  const series = [
    { label: 'a', values: [1, null] },
    { label: 'b', values: [5, 2], colour: 'step-2' },
  ];

  it('of a pile come from the top down, with a total', () => {
    const rows = tooltipRows({ series, kind: 'bars' }, 0);
    expect(rows.map(({ label, value, colour }) => [label, value, colour])).toEqual([
      ['b', 5, 'step-2'],
      ['a', 1, 'series-1'],
      ['Total', 6, null],
    ]);
  });

  it('of lines come by value, without a total', () => {
    const rows = tooltipRows({ series: series.toReversed(), kind: 'lines', before: { label: 'Before', values: [7, 7] } }, 1);
    expect(rows.map(({ label, value }) => [label, value])).toEqual([
      ['b', 2],
      ['a', null],
      ['Before', 7],
    ]);
  });
});

describe('a span marked in a chart', () => {
  const steps = [0, 10, 20, 30];

  it('becomes whole steps, whichever way it was drawn', () => {
    expect(snapRange(steps, 10, { from: 8, to: 22 })).toEqual({ from: 10, to: 30 });
    expect(snapRange(steps, 10, { from: 22, to: 8 })).toEqual({ from: 10, to: 30 });
  });

  it('between two steps becomes the nearest one', () => {
    expect(snapRange(steps, 10, { from: 11, to: 13 })).toEqual({ from: 10, to: 20 });
    expect(snapRange([], 10, { from: 1, to: 3 })).toBeNull();
  });
});

describe('a chart in words', () => {
  const series = [{ label: 'p50', values: [3, null, 1, null] }];

  it('says least, most and last of each series', () => {
    expect(chartSummary('TTFT', [...series, { label: 'p95', values: [null] }], unit)).toBe(
      'TTFT over time. p50: least 1 ms, most 3 ms, last 1 ms. p95: no values.',
    );
  });

  it('shows the last value in its legend, or the sum', () => {
    expect(series.map((one) => [legendValue(one, unit), legendValue(one, { ...unit, legend: 'sum' })])).toEqual([[1, 4]]);
  });

  it('is empty where nothing but zeros is known', () => {
    expect(isEmpty([{ label: 'a', values: [0, null] }])).toBe(true);
    expect(isEmpty(series)).toBe(false);
  });

  it('starts its colours anew after the eighth', () => {
    expect([0, 7, 8].map((place) => colourOf({ label: 'a', values: [] }, place))).toEqual(['series-1', 'series-8', 'series-1']);
  });
});

describe('a legend', () => {
  const labels = ['a', 'b', 'c'];
  const after = (hidden: string[], label: string, alone: boolean): string[] => [...nextHidden(labels, new Set(hidden), label, alone)];

  it('hides a series, shows it again, and never hides all', () => {
    expect(after([], 'a', false)).toEqual(['a']);
    expect(after(['a'], 'a', false)).toEqual([]);
    expect(after(['a', 'b'], 'c', false)).toEqual([]);
  });

  it('shows one alone, and all again after a second time', () => {
    expect(after(['b'], 'b', true)).toEqual(['a', 'c']);
    expect(after(['a', 'c'], 'b', true)).toEqual([]);
  });
});

describe('a sparkline', () => {
  it('ends its line at a gap and shows lonely values as dots', () => {
    const { line, dots } = sparkPaths([0, 10, null, 5, null, 10, 10], 62, 12);
    expect(line).toBe('M1 11L11 1M51 1L61 1');
    expect(dots).toEqual([[31, 6]]);
  });

  it('of nothing draws nothing', () => {
    expect(sparkPaths([], 62, 12)).toEqual({ line: '', area: '', dots: [] });
    expect(sparkPaths([0, 0], 62, 12).line).toBe('M1 11L61 11');
  });
});
