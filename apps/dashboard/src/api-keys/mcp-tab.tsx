import type { JSX } from 'react';
import { Panel } from '../ui/page.js';
import { McpCalls } from './mcp-calls.js';
import { McpConfiguration } from './mcp-configuration.js';
import { McpKeyCard } from './mcp-key-card.js';
import { McpTools } from './mcp-tools.js';

/** The tab of the MCP key: the key, the settings for clients, the tools, and what agents called. */
export function McpTab(): JSX.Element {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(18rem,24rem)_minmax(0,1fr)]">
        <McpKeyCard />
        <Panel title="MCP Configuration">
          <McpConfiguration apiKey={null} />
        </Panel>
      </div>
      <McpCalls />
      <McpTools />
    </div>
  );
}
