import { type JSX, useState } from 'react';
import { CodePane } from '../ui/code-pane.js';
import { Dialog } from '../ui/dialog.js';
import { type Exchange, RAW_MAX } from './exchange.js';

/** What went to the gateway and what came back. */
export function RawDialog({ exchange, onClose }: { readonly exchange: Exchange; readonly onClose: () => void }): JSX.Element {
  const [shown, setShown] = useState<'request' | 'response'>('response');
  const { body, raw, failure } = exchange;
  return (
    <Dialog title="Raw request and response" wide onClose={onClose}>
      <CodePane
        label="Raw"
        value={shown}
        onChange={setShown}
        tabs={[
          { value: 'response', label: 'Response', text: raw === '' ? (failure ?? 'No bytes were kept.') : raw },
          { value: 'request', label: 'Request body', language: 'json', text: JSON.stringify(body, null, 2) },
        ]}
      />
      {raw.length >= RAW_MAX && <p className="text-sm text-muted">Cut off after {RAW_MAX / 1_000} kB.</p>}
    </Dialog>
  );
}
