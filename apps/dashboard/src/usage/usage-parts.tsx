import type { UsageGroup, UsageRow } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type JSX, useMemo } from 'react';
import { formatPercent } from '../format/number.js';
import { USAGE_PARTS_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column, RowAction } from '../ui/data-table/types.js';
import { Section } from '../ui/page.js';
import { useUrlState } from '../url-state/use-url-state.js';
import {
  CACHED,
  DURATION,
  ERRORS,
  type Figure,
  type FigureLine,
  REQUESTS,
  SPEED,
  TOKENS_IN,
  TOKENS_OUT,
  TTFT,
  written,
} from './figures.js';
import { GROUPS, partValue } from './group-names.js';
import { type Part, partsOf } from './parts.js';
import type { UsageAnswer } from './read-usage.js';
import { errorRate, formatShare } from './usage-stats.js';

type PartRow = Part & { readonly share: number };

interface FigureColumn {
  readonly id: string;
  readonly title: string;
  readonly figure: Figure;
  readonly line?: FigureLine;
  readonly width?: number;
  readonly isHidden?: boolean;
}

const figureColumn = ({ id, title, figure, line = figure.lines[0], width = 104, isHidden = false }: FigureColumn): Column<PartRow> => ({
  ...{ id, title, numeric: true, width },
  cell: (row) => written(figure, line.of(row)),
  value: (row) => line.of(row),
  ...(isHidden && { hidden: true }),
});

const latencyColumns = (id: string, figure: Figure, shown: string): readonly Column<PartRow>[] =>
  figure.lines.map((line) => {
    const which = line.label.slice(-3);
    return figureColumn({ id: `${id}-${which}`, title: line.label, figure, line, width: 128, isHidden: which !== shown });
  });

const COLUMNS: readonly Column<PartRow>[] = [
  { ...figureColumn({ id: 'requests', title: 'Requests', figure: REQUESTS, width: 112 }), card: 'figure' },
  {
    ...{ id: 'share', title: 'Share', numeric: true, width: 88, hidden: true },
    cell: ({ share }) => formatPercent(share),
    value: ({ share }) => share,
  },
  figureColumn({ id: 'errors', title: 'Errors', figure: ERRORS, width: 88 }),
  { id: 'rate', title: 'Error rate', numeric: true, width: 108, cell: (row) => formatShare(errorRate(row)), value: errorRate },
  figureColumn({ id: 'input', title: 'Input tokens', figure: TOKENS_IN, width: 124 }),
  figureColumn({ id: 'cached', title: 'Cached', figure: CACHED, isHidden: true }),
  { ...figureColumn({ id: 'output', title: 'Output tokens', figure: TOKENS_OUT, width: 132 }), card: 'figure' },
  ...latencyColumns('ttft', TTFT, 'p95'),
  ...latencyColumns('duration', DURATION, ''),
  ...latencyColumns('speed', SPEED, 'p50'),
];

export interface UsagePartsProps {
  readonly by: UsageGroup;
  readonly query: UseQueryResult<UsageAnswer>;
  readonly nameOf: (row: Partial<UsageRow>) => string;
  /** Filters to a part. */
  readonly onDrill: (values: readonly string[]) => void;
}

/** The whole range by the parts of the split; a row filters to its part. */
export function UsageParts({ by, query, nameOf, onDrill }: UsagePartsProps): JSX.Element {
  const table = useUrlState(USAGE_PARTS_SEARCH);
  const { history } = useRouter();
  const { slug: account } = useAccount();
  const title = GROUPS.find(({ value }) => value === by)?.label ?? '';
  const columns = useMemo(
    (): readonly Column<PartRow>[] => [
      { id: 'name', title, width: 168, pin: 'left', cell: ({ name }) => <span title={name}>{name}</span>, value: ({ name }) => name },
      ...COLUMNS,
    ],
    [title],
  );
  const rows = useMemo(() => {
    const parts = query.data && partsOf(query.data.rows, nameOf, (row) => partValue(row, by));
    const all = parts?.reduce((sum, { requests }) => sum + requests, 0) ?? 0;
    return parts?.map((part) => ({ ...part, share: all === 0 ? 0 : part.requests / all }));
  }, [query.data, nameOf, by]);
  const actions = (row: PartRow): readonly RowAction[] => {
    const path = row.values.length === 1 ? pathOf(by, row.values[0] ?? '') : null;
    return [
      { label: 'Filter to this', disabled: row.values.length === 0, onSelect: () => onDrill(row.values) },
      ...(path === null ? [] : [{ label: `Open ${title.toLowerCase()}`, onSelect: () => history.push(`/${account}${path}`) }]),
    ];
  };
  return (
    <Section title={`By ${title.toLowerCase()}`}>
      <DataTable
        label={`Usage by ${title.toLowerCase()}`}
        {...{ rows, columns, query }}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        state={table}
        onOpen={({ values }) => values.length > 0 && onDrill(values)}
        rowActions={actions}
        empty={<p className="text-muted">No requests in this range.</p>}
      />
    </Section>
  );
}

/** Where the page of a part is, without its account; null where it has none. */
function pathOf(by: UsageGroup, value: string): string | null {
  if (by === 'key') return `/api-keys/${value}`;
  return by === 'deployment' ? `/deployments/deployment-${value}` : null;
}
