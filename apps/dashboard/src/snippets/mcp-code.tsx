import { Tabs } from '@base-ui/react/tabs';
import { type JSX, useState } from 'react';
import { buttonClass } from '../ui/button.js';
import { CodePane } from '../ui/code-pane.js';
import { Icon, type IconName } from '../ui/icon.js';
import { type McpSnippet, mcpSnippets } from './mcp-snippets.js';

/** What an agent may do: all that a member may, or look alone. */
type McpAccess = 'full' | 'readonly';

export interface McpCodeProps {
  /** Addresses of the MCP server: that with all tools, and that with the reading ones. */
  readonly urls: Readonly<Record<McpAccess, string>>;
  /** Right after it was made; null later on. */
  readonly apiKey: string | null;
}

const ACCESS: readonly { readonly value: McpAccess; readonly label: string }[] = [
  { value: 'full', label: 'Full access' },
  { value: 'readonly', label: 'Read-only' },
];

const ICONS: Readonly<Record<McpSnippet['kind'], IconName>> = { terminal: 'terminal', editor: 'code', desktop: 'monitor' };

/** Settings of MCP clients, with full access or read-only, and a button that installs them where the client has one. */
export function McpCode({ urls, apiKey }: McpCodeProps): JSX.Element {
  const [access, setAccess] = useState<McpAccess>('full');
  const snippets = mcpSnippets(urls[access], apiKey);
  const [client, setClient] = useState(snippets[0]?.client ?? '');
  return (
    <Tabs.Root value={client} onValueChange={(next: string) => setClient(next)} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <AccessSwitch value={access} onChange={setAccess} />
        <p className="min-w-0 text-sm text-muted">
          {access === 'full' ? 'The agent can do what a member can.' : 'The agent can look at everything and change nothing.'}
        </p>
      </div>
      <Tabs.List aria-label="Client" className="flex flex-wrap gap-1">
        {snippets.map((snippet) => (
          <Tabs.Tab
            key={snippet.client}
            value={snippet.client}
            className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line bg-surface px-2.5 text-sm text-muted hover:bg-sunken hover:text-ink aria-selected:border-accent aria-selected:bg-accent-soft aria-selected:font-medium aria-selected:text-ink pointer-coarse:min-h-11"
          >
            <Icon name={ICONS[snippet.kind]} className="size-3.5" />
            {snippet.client}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.client} value={snippet.client} className="grid grid-cols-[minmax(0,1fr)] gap-3">
          <Settings snippet={snippet} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}

function Settings({ snippet: { client, place, language, text, variable, install, note } }: { readonly snippet: McpSnippet }): JSX.Element {
  return (
    <>
      <CodePane
        label={place}
        tabs={[{ value: 'only', label: place, language, text }]}
        value="only"
        onChange={() => undefined}
        {...(variable !== undefined && { before: { label: 'Your key', text: variable } })}
      />
      {(install !== undefined || note !== undefined) && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-48 text-sm break-words text-muted">{note}</p>
          {install !== undefined && (
            <a href={install} className={buttonClass('plain')}>
              <Icon name="external" />
              Add to {client}
            </a>
          )}
        </div>
      )}
    </>
  );
}

function AccessSwitch({ value, onChange }: { readonly value: McpAccess; readonly onChange: (access: McpAccess) => void }): JSX.Element {
  return (
    <div role="group" aria-label="Access" className="flex rounded-md border border-edge bg-surface p-0.5">
      {ACCESS.map(({ value: access, label }) => (
        <button
          key={access}
          type="button"
          aria-pressed={access === value}
          onClick={() => onChange(access)}
          className="min-h-7 rounded-sm px-2.5 text-sm whitespace-nowrap text-muted hover:text-ink aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-11"
        >
          {label}
        </button>
      ))}
    </div>
  );
}
