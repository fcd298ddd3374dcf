import type { McpCall } from '@slipway/contracts';
import { type JSX, useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { formatMs } from '../format/number.js';
import { MCP_CALLS_SEARCH } from '../searches.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Moment } from '../ui/moment.js';
import { Section } from '../ui/page.js';
import { Dash } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { agentName } from './agent-name.js';
import { statusWords } from './key-usage.js';

/** As many are shown; the service keeps more. */
const SHOWN = 20;

interface Row extends McpCall {
  readonly id: string;
}

/** The last calls, each with a name of its own: two may have come in one millisecond. */
function rowsOf(calls: readonly McpCall[]): readonly Row[] {
  const seen = new Map<string, number>();
  return calls.slice(0, SHOWN).map((call) => {
    const base = `${call.at} ${call.tool}`;
    const count = (seen.get(base) ?? 0) + 1;
    seen.set(base, count);
    return { ...call, id: `${base} ${count}` };
  });
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'tool', title: 'Tool', cell: ({ tool }) => <code title={tool}>{tool}</code>, value: ({ tool }) => tool, width: 200 },
  { id: 'at', title: 'Time', cell: ({ at }) => <Moment at={at} />, value: ({ at }) => at, width: 110, card: 'figure' },
  {
    id: 'outcome',
    title: 'Outcome',
    cell: ({ outcome }) => (outcome === 'ok' ? <Status look="good" text="OK" /> : <Status look="bad" text={statusWords(outcome)} />),
    value: ({ outcome }) => (outcome === 'ok' ? 'OK' : statusWords(outcome)),
    width: 160,
    card: 'status',
  },
  { id: 'ms', title: 'Duration', cell: ({ ms }) => formatMs(ms), value: ({ ms }) => ms, numeric: true },
  {
    id: 'client',
    title: 'Client',
    cell: ({ client }) => (client === null ? <Dash /> : <span title={client}>{agentName(client)}</span>),
    value: ({ client }) => client && agentName(client),
    width: 160,
  },
];

/** The last calls of agents; what they were asked and answered is kept nowhere. */
export function McpCalls(): JSX.Element {
  const query = useCall('mcp-key/calls', {}, { every: () => 10_000 });
  const calls = query.data?.calls;
  const rows = useMemo(() => calls && rowsOf(calls), [calls]);
  return (
    <Section title="Recent agent calls" about={`The newest ${SHOWN}. Arguments and results are not stored.`}>
      <DataTable
        label="Agent calls"
        {...{ rows, query }}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        nameOf={({ tool }) => tool}
        state={useUrlState(MCP_CALLS_SEARCH)}
        empty={
          <EmptyState title="No calls yet" icon="bot">
            Connect an agent with the configuration above; its calls appear here within seconds.
          </EmptyState>
        }
      />
    </Section>
  );
}
