import type { JSX } from 'react';
import { McpCode } from '../snippets/mcp-code.js';
import { Button } from '../ui/button.js';
import { SecretField } from '../ui/copy-field.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { Notice } from '../ui/notice.js';
import { McpConnectionTest } from './mcp-connection-test.js';

export interface McpConfigurationDialogProps {
  /** Right after it was made; null later on. */
  readonly value: string | null;
  readonly onClose: () => void;
}

/** Settings for the clients, with the key while it can be shown. Then only the button closes it. */
export function McpConfigurationDialog({ value, onClose }: McpConfigurationDialogProps): JSX.Element {
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
      <McpCode url={`${window.location.origin}/mcp`} apiKey={value} />
      <DialogButtons>
        <Button look="main" onClick={onClose}>
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
