import type { ConsoleMcpTool } from '@slipway/contracts';
import type { JSX } from 'react';
import { MCP_TOOLS_SEARCH } from '../searches.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column, Facet } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Icon } from '../ui/icon.js';
import { Section } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { useMcpServer } from './mcp-configuration.js';

const EFFECTS = { read: 'Reads', write: 'Writes', destructive: 'Destructive' } as const;
type Effect = keyof typeof EFFECTS;

const effectOf = ({ access, is_destructive: isDestructive }: ConsoleMcpTool): Effect => (isDestructive ? 'destructive' : access);

const COLUMNS: readonly Column<ConsoleMcpTool>[] = [
  { id: 'name', title: 'Tool', cell: ({ name }) => <code title={name}>{name}</code>, value: ({ name }) => name, width: 200 },
  {
    id: 'effect',
    title: 'Effect',
    cell: (tool) => <EffectCell effect={effectOf(tool)} />,
    value: (tool) => EFFECTS[effectOf(tool)],
    width: 110,
    card: 'status',
  },
  {
    id: 'about',
    title: 'What it does',
    cell: ({ title, description }) => (
      <span title={description}>
        {title}
        <span className="text-muted"> — {description}</span>
      </span>
    ),
    value: ({ title, description }) => `${title} ${description}`,
    width: 420,
  },
];

const FACETS: readonly Facet<ConsoleMcpTool>[] = [
  { id: 'effect', title: 'Effect', of: (tool) => [effectOf(tool)], words: (value) => EFFECTS[value as Effect] ?? value },
];

function EffectCell({ effect }: { readonly effect: Effect }): JSX.Element {
  if (effect !== 'destructive') return <Status look={effect === 'read' ? 'good' : 'warn'} text={EFFECTS[effect]} />;
  return (
    <span className="flex items-center gap-1.5 text-bad">
      <Icon name="warning" className="size-3.5" />
      {EFFECTS[effect]}
    </span>
  );
}

/** The tools that agents get, and which of them change something. */
export function McpTools(): JSX.Element {
  const query = useMcpServer();
  return (
    <Section title="Tools" about="The read-only address offers those that read.">
      <DataTable
        label="MCP tools"
        rows={query.data?.tools}
        query={query}
        columns={COLUMNS}
        facets={FACETS}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        state={useUrlState(MCP_TOOLS_SEARCH)}
        empty={
          <EmptyState title="No tools" icon="wrench">
            This release of the MCP server offers none.
          </EmptyState>
        }
      />
    </Section>
  );
}
