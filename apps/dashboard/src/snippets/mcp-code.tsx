import { type JSX, useState } from 'react';
import { buttonClass } from '../ui/button.js';
import { CodePane } from '../ui/code-pane.js';
import { SelectField } from '../ui/field.js';
import { type McpAccess, mcpSnippets } from './mcp-snippets.js';

export interface McpCodeProps {
  /** Address of the MCP server with full access. */
  readonly url: string;
  /** Right after it was made; null later on. */
  readonly apiKey: string | null;
}

const ACCESS: readonly { readonly value: McpAccess; readonly label: string }[] = [
  { value: 'full', label: 'Full access' },
  { value: 'readonly', label: 'Read-only' },
];

/** Settings of an MCP client, with full access or read-only, and a button that installs them where the client has one. */
export function McpCode({ url, apiKey }: McpCodeProps): JSX.Element {
  const [access, setAccess] = useState<McpAccess>('full');
  const snippets = mcpSnippets(url, apiKey, access);
  const [client, setClient] = useState(snippets[0]?.client ?? '');
  const chosen = snippets.find((snippet) => snippet.client === client) ?? snippets[0];
  if (!chosen) return <></>;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_auto_auto]">
        <SelectField
          label="Client"
          choices={snippets.map((snippet) => ({ value: snippet.client, label: snippet.client }))}
          value={chosen.client}
          onChange={(event) => setClient(event.target.value)}
        />
        <AccessSwitch value={access} onChange={setAccess} />
        {chosen.install !== undefined && (
          <a href={chosen.install} className={buttonClass('main')}>
            Add to {chosen.client}
          </a>
        )}
      </div>
      <CodePane
        label={chosen.place}
        tabs={[{ value: 'only', label: chosen.place, language: chosen.language, text: chosen.text }]}
        value="only"
        onChange={() => undefined}
        {...(chosen.variable !== undefined && { before: { label: 'Your key', text: chosen.variable } })}
      />
      {chosen.note !== undefined && <p className="text-sm break-words text-muted">{chosen.note}</p>}
      {access === 'readonly' && <p className="text-sm text-muted">The agent may look at everything of this account and change nothing.</p>}
    </div>
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
