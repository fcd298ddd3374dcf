import type { UsageGroup } from '@slipway/contracts';
import { type JSX, useMemo, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { SelectField } from '../ui/field.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { FIGURES, type Figure, figureOf, REQUESTS, seriesOf } from './figures.js';
import { FigureOverTime } from './figure-over-time.js';
import { PARTS_MAX, splitSeries } from './split-series.js';
import { GROUPS, groupOf, useGroupNames } from './use-group-names.js';
import { everyStep, type StepRow, type UsageRange } from './usage-range.js';

const SPLITS = [{ value: '', label: 'Everything together' }, ...GROUPS];

interface PartProps {
  readonly figure: Figure;
  readonly range: UsageRange;
}

/** A figure over time, of all or by parts. */
export function UsageOverTime({ range, rows }: { readonly range: UsageRange; readonly rows: readonly StepRow[] }): JSX.Element {
  const [figure, setFigure] = useState(REQUESTS);
  const [group, setGroup] = useState<UsageGroup | null>(null);
  return (
    <Panel title="Over time">
      <div className="grid max-w-lg gap-3 sm:grid-cols-2">
        <SelectField label="Show" choices={FIGURES} value={figure.value} onChange={({ target }) => setFigure(figureOf(target.value))} />
        <SelectField label="Split by" choices={SPLITS} value={group ?? ''} onChange={({ target }) => setGroup(groupOf(target.value))} />
      </div>
      {group === null ? <Whole figure={figure} range={range} rows={rows} /> : <Parts figure={figure} range={range} group={group} />}
    </Panel>
  );
}

function Whole({ figure, range, rows }: PartProps & { readonly rows: readonly StepRow[] }): JSX.Element {
  const { from, to, step } = range;
  const steps = useMemo(() => everyStep({ from, to, step }, rows), [from, to, step, rows]);
  const series = useMemo(() => seriesOf(figure, steps), [figure, steps]);
  return <FigureOverTime figure={figure} range={range} steps={steps} series={series} />;
}

function Parts({ figure, range, group }: PartProps & { readonly group: UsageGroup }): JSX.Element {
  const nameOf = useGroupNames();
  const query = useCall('usage/query', { ...range, group_by: [group], latency: true }, { every: () => 30_000, keep: true });
  return (
    <Loaded query={query} what="Usage by parts" rows={6}>
      {({ rows }) => {
        const { series, left } = splitSeries(figure, range, rows, nameOf);
        return (
          <>
            <FigureOverTime figure={figure} range={range} steps={everyStep(range, rows)} series={series} />
            {!figure.isSum && rows.length > 0 && (
              <p className="text-sm text-muted">
                The lines are p50.
                {left > 0 && ` ${plural(left, 'part')} with fewer requests than these ${PARTS_MAX} can be seen below.`}
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
