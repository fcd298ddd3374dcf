import { type JSX, useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { formatClock } from '../format/time.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { DURATION, ERRORS, REQUESTS, seriesOf, SPEED, TOKENS_OUT, TTFT } from '../usage/figures.js';
import { FigureOverTime } from '../usage/figure-over-time.js';
import { useRange } from '../usage/range-fields.js';
import { everyStep, type StepRow, type UsageRange } from '../usage/usage-range.js';

const SHOWN = [REQUESTS, ERRORS, SPEED, TTFT, TOKENS_OUT, DURATION];
const LOOK_AGAIN_MS = 10_000;

/** How a deployment does: what the ledger holds of its requests. */
export function MetricsTab({ id }: { readonly id: number }): JSX.Element {
  const { range, fields } = useRange('1h');
  const question = { ...range, deployment: id, group_by: [], latency: true };
  const query = useCall('usage/query', question, { every: () => LOOK_AGAIN_MS, keep: true });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {fields}
      <Loaded query={query} what="Metrics" rows={8}>
        {({ rows, as_of: asOf }) => (
          <div className={query.isPlaceholderData ? 'opacity-60' : ''}>
            <Charts range={range} rows={rows} />
            <p className="pt-4 text-sm text-muted">
              As of {formatClock(Date.parse(asOf))}. Requests count a second or two after they end, in the {range.step} in which they began.
            </p>
          </div>
        )}
      </Loaded>
    </div>
  );
}

function Charts({ range, rows }: { readonly range: UsageRange; readonly rows: readonly StepRow[] }): JSX.Element {
  const { from, to, step } = range;
  const steps = useMemo(() => everyStep({ from, to, step }, rows), [from, to, step, rows]);
  const charts = useMemo(() => SHOWN.map((figure) => ({ figure, series: seriesOf(figure, steps) })), [steps]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      {charts.map(({ figure, series }) => (
        <Panel key={figure.value} title={figure.label}>
          <FigureOverTime figure={figure} range={range} steps={steps} series={series} group="metrics" />
        </Panel>
      ))}
    </div>
  );
}
