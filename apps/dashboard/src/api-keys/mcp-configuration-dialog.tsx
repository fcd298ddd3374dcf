import { type JSX, useState } from 'react';
import { mcpSnippets } from '../snippets/mcp-snippets.js';
import { Button } from '../ui/button.js';
import { CodeBlock } from '../ui/code-block.js';
import { SecretField } from '../ui/copy-field.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { SelectField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { McpConnectionTest } from './mcp-connection-test.js';

export interface McpConfigurationDialogProps {
  /** Right after it was made; null later on. */
  readonly value: string | null;
  readonly onClose: () => void;
}

/** Settings for the clients, with the key while it can be shown. Then only the button closes it. */
export function McpConfigurationDialog({ value, onClose }: McpConfigurationDialogProps): JSX.Element {
  const snippets = mcpSnippets(`${window.location.origin}/mcp`, value);
  const [client, setClient] = useState(snippets[0]?.client ?? '');
  const chosen = snippets.find((snippet) => snippet.client === client);
  return (
    <Dialog title="MCP Configuration" wide {...(value === null && { onClose })}>
      {value === null ? (
        <Notice look="info">
          Put your key in place of <code className="font-mono">YOUR_MCP_KEY</code>. Only who created or rotated it has seen it; if it is
          lost, rotate it.
        </Notice>
      ) : (
        <>
          <Notice look="warn">Copy this key now. It is shown only once and cannot be recovered. If you lose it, rotate the key.</Notice>
          <SecretField label="Key" value={value} copy="Copy key" />
          <McpConnectionTest value={value} />
        </>
      )}
      <SelectField
        label="Client"
        choices={snippets.map((snippet) => ({ value: snippet.client, label: snippet.client }))}
        value={client}
        onChange={(event) => setClient(event.target.value)}
      />
      {chosen && (
        <>
          <CodeBlock label={chosen.place} text={chosen.text} />
          {chosen.note !== undefined && <p className="text-sm break-words text-muted">{chosen.note}</p>}
        </>
      )}
      <p className="text-sm text-muted">
        For an agent that may look but not change anything use the address{' '}
        <code className="font-mono break-all">{window.location.origin}/mcp/readonly</code>.
      </p>
      <DialogButtons>
        <Button look="main" onClick={onClose}>
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
