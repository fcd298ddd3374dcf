import { type JSX, useState } from 'react';
import { CodeBlock } from '../ui/code-block.js';
import { Dialog } from '../ui/dialog.js';
import { Tabs } from '../ui/tabs.js';
import { type Exchange, RAW_MAX } from './exchange.js';

/** What went to the gateway and what came back. */
export function RawDialog({ exchange, onClose }: { readonly exchange: Exchange; readonly onClose: () => void }): JSX.Element {
  const [shown, setShown] = useState<'request' | 'response'>('response');
  const { body, raw, failure } = exchange;
  return (
    <Dialog title="Raw request and response" wide onClose={onClose}>
      <Tabs
        label="Direction"
        value={shown}
        onChange={setShown}
        items={[
          {
            value: 'response',
            label: 'Response',
            content: <CodeBlock label="As it came" text={raw === '' ? (failure ?? 'Nothing came yet.') : raw} />,
          },
          { value: 'request', label: 'Request', content: <CodeBlock label="Body" text={JSON.stringify(body, null, 2)} /> },
        ]}
      />
      {raw.length >= RAW_MAX && <p className="text-sm text-muted">The rest is not kept.</p>}
    </Dialog>
  );
}
