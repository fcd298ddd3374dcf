import { type JSX, useState } from 'react';
import { BarList } from '../charts/bar-list.js';
import type { ChartSeries } from '../charts/chart-model.js';
import { Sparkline } from '../charts/sparkline.js';
import { TimeSeries } from '../charts/time-series.js';
import { COUNT, DURATION_MS } from '../charts/units.js';
import { HOUR, MINUTE } from '../charts/zone.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const FROM = Date.parse('2026-11-20T14:00:00Z');
const STEPS = 48;
const at = Array.from({ length: STEPS }, (_, step) => FROM + step * 30 * MINUTE);
const wave = (base: number, swing: number, phase: number): number[] =>
  at.map((_, step) => Math.max(0, Math.round(base + swing * Math.sin(step / 5 + phase) + ((step * 37) % 11) * (swing / 18))));
const KEYS = ['website', 'batch-import', 'support-bot', 'evaluation', 'notebook-lena', 'ci', 'staging', '4 others'];
const byKey: readonly ChartSeries[] = KEYS.map((label, place) => ({
  label,
  values: wave(900 / (place + 1), 420 / (place + 1), place),
}));
const latency: readonly ChartSeries[] = [
  { label: 'p50', values: wave(240, 60, 0).map((ms, step) => (step > 18 && step < 24 ? null : ms)), colour: 'step-1' },
  { label: 'p95', values: wave(620, 210, 1).map((ms, step) => (step > 18 && step < 24 && step !== 21 ? null : ms)), colour: 'step-2' },
  { label: 'p99', values: wave(1_180, 420, 2).map((ms, step) => (step > 18 && step < 24 ? null : ms)), colour: 'step-3' },
];
const MARKS = [
  { at: FROM + 7 * HOUR + 12 * MINUTE, label: 'Revision 4 serves', icon: 'rocket', href: '#revision-4' },
  { at: FROM + 15 * HOUR, label: 'p95 TTFT above 800 ms', icon: 'alert' },
] as const;
const BUSY = new Set([4, 5, 17, 22, 30, 39, 43]);
const few: readonly ChartSeries[] = [{ label: 'Requests', values: at.map((_, step) => (BUSY.has(step) ? 1 + (step % 2) : 0)) }];
const common = { at, stepMs: 30 * MINUTE, time: 'utc' } as const;

function Zoomable(): JSX.Element {
  const [range, setRange] = useState<readonly [number, number] | null>(null);
  const isIn = (moment: number): boolean => range === null || (moment >= range[0] && moment < range[1]);
  const shown = at.filter(isIn);
  const series = latency.map((one) => ({ ...one, values: one.values.filter((_, step) => isIn(at[step] ?? 0)) }));
  return (
    <div className="w-full">
      <TimeSeries
        {...common}
        at={shown}
        label="Time to first token"
        series={series}
        kind="lines"
        unit={DURATION_MS}
        marks={MARKS}
        group="gallery"
        onZoom={(from, to) => setRange([from, to])}
        {...(range && { onZoomOut: () => setRange(null) })}
      />
      <span data-zoom="" className="text-xs text-muted">
        {range === null ? 'Whole range' : range.map((moment) => new Date(moment).toISOString()).join(' ')}
      </span>
    </div>
  );
}

function Cards({ children }: { readonly children: JSX.Element }): JSX.Element {
  return <div className="w-full rounded-lg border border-line bg-surface p-4">{children}</div>;
}

function States(): JSX.Element {
  const none = { ...common, series: [], kind: 'bars', unit: COUNT, height: 160 } as const;
  return (
    <>
      <Example title="Loading">
        <Cards>
          <TimeSeries {...none} label="Requests" isLoading />
        </Cards>
      </Example>
      <Example title="Empty">
        <Cards>
          <TimeSeries {...none} label="Requests" empty="No requests in this range" />
        </Cards>
      </Example>
      <Example title="Error">
        <Cards>
          <TimeSeries {...none} label="Requests" error="The console cannot be reached." onRetry={() => undefined} />
        </Cards>
      </Example>
    </>
  );
}

function Small(): JSX.Element {
  return (
    <>
      <Example title="Sparklines">
        <span className="flex items-center gap-2 text-sm">
          1,204 requests <Sparkline values={wave(40, 30, 0)} />
        </span>
        <span className="flex items-center gap-2 text-sm">
          240 ms <Sparkline values={latency[0]?.values ?? []} colour="step-1" isFilled={false} />
        </span>
      </Example>
      <Example title="Bars">
        <Cards>
          <BarList
            label="Requests by key"
            format={COUNT.format}
            bars={KEYS.map((label, place) => ({
              label,
              value: Math.round(42_000 / (place + 1) ** 1.4),
              name: (
                <a href={`#${label}`} className="hover:underline">
                  {label}
                </a>
              ),
            }))}
          />
        </Cards>
      </Example>
    </>
  );
}

function Examples(): JSX.Element {
  const before = { label: 'Day before', values: wave(2_300, 700, 2) };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <Example title="Stacked bars with the day before">
        <Cards>
          <TimeSeries {...common} label="Requests by key" series={byKey} kind="bars" unit={COUNT} before={before} group="gallery" />
        </Cards>
      </Example>
      <Example title="Lines with gaps, marks and zoom">
        <Cards>
          <Zoomable />
        </Cards>
      </Example>
      <Example title="Stacked areas">
        <Cards>
          <TimeSeries {...common} label="Tokens by key" series={byKey.slice(0, 5)} kind="areas" unit={COUNT} group="gallery" />
        </Cards>
      </Example>
      <Example title="Few requests">
        <Cards>
          <TimeSeries {...common} label="Requests" series={few} kind="bars" unit={COUNT} height={160} group="gallery" />
        </Cards>
      </Example>
      <States />
      <Small />
    </div>
  );
}

export default { title: 'Charts', Examples } satisfies Part;
