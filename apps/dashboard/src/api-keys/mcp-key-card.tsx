import type { ConsoleReply } from '@slipway/contracts';
import { type JSX, lazy, Suspense, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { useMayChange } from '../session/use-session.js';
import { clientName } from '../people/client-name.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Empty, Panel } from '../ui/page.js';
import { KeyOrigin } from './key-origin.js';
import { reachOf } from './reach.js';

const McpConfigurationDialog = lazy(async () => ({ default: (await import('./mcp-configuration-dialog.js')).McpConfigurationDialog }));

type Doing = { readonly kind: 'rotate' } | { readonly kind: 'configure'; readonly value: string | null };

export function McpKeyCard(): JSX.Element {
  const found = useCall('mcp-key/find', {}, { every: () => 15_000 });
  const create = useChange('mcp-key/create', ['mcp-key/']);
  const mayChange = useMayChange();
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const make = (): void => create.mutate({}, { onSuccess: ({ value }) => setDoing({ kind: 'configure', value }) });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {create.isError && <Notice look="bad">{messageOf(create.error)}</Notice>}
      <Loaded query={found} what="MCP key" rows={2}>
        {({ key, last_client: client }) =>
          key === null ? (
            <Empty
              title="No MCP key yet"
              action={
                <div className="flex flex-wrap justify-center gap-2">
                  {mayChange && (
                    <Button look="main" icon="plus" busy={create.isPending} onClick={make}>
                      Create MCP key
                    </Button>
                  )}
                  <Button onClick={() => setDoing({ kind: 'configure', value: null })}>MCP Configuration</Button>
                </div>
              }
            >
              With it agents such as Claude Code or Cursor create, stop, resume and inspect this account’s deployments. It opens no
              inference.
            </Empty>
          ) : (
            <Panel
              title="MCP key of this account"
              actions={
                <div className="flex flex-wrap gap-2">
                  <Button onClick={() => setDoing({ kind: 'configure', value: null })}>MCP Configuration</Button>
                  {mayChange && <Button onClick={() => setDoing({ kind: 'rotate' })}>Rotate</Button>}
                </div>
              }
            >
              <McpKeyFacts subject={key} client={client} />
              <p className="text-sm text-muted">An account has one MCP key. It is replaced by rotating it; there is nothing to revoke.</p>
            </Panel>
          )
        }
      </Loaded>
      {doing?.kind === 'rotate' && <RotateMcpKeyDialog onClose={close} onRotated={(value) => setDoing({ kind: 'configure', value })} />}
      <Suspense>{doing?.kind === 'configure' && <McpConfigurationDialog value={doing.value} onClose={close} />}</Suspense>
    </div>
  );
}

type Found = ConsoleReply<'mcp-key/find'>;

interface McpKeyFactsProps {
  readonly subject: NonNullable<Found['key']>;
  readonly client: Found['last_client'];
}

function McpKeyFacts({ subject, client }: McpKeyFactsProps): JSX.Element {
  return (
    <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_1fr]">
      <dt className="text-muted">Key</dt>
      <dd>
        <code className="font-mono text-sm">{subject.hint}…</code>
      </dd>
      <dt className="text-muted">Created</dt>
      <dd>
        <KeyOrigin subject={subject} />
      </dd>
      {subject.last_used_at !== undefined && (
        <>
          <dt className="text-muted">Last used</dt>
          <dd>{subject.last_used_at === null ? 'Never' : <Moment at={subject.last_used_at} />}</dd>
          <dt className="text-muted">Last client</dt>
          <dd className="break-words">{client == null ? 'None' : <span title={client}>{clientName(client)}</span>}</dd>
        </>
      )}
    </dl>
  );
}

function RotateMcpKeyDialog({
  onClose,
  onRotated,
}: {
  readonly onClose: () => void;
  readonly onRotated: (value: string) => void;
}): JSX.Element {
  const rotate = useChange('mcp-key/rotate', ['mcp-key/']);
  const go = (): void =>
    rotate.mutate(
      {},
      {
        onSuccess: (reply) => {
          announce(reachOf(reply, 'The old value stopped working.'));
          onRotated(reply.value);
        },
      },
    );
  return (
    <Dialog title="Rotate the MCP key" onClose={onClose}>
      <p>The current value stops working at once. Agents that use it are refused until you replace it in their settings.</p>
      {rotate.isError && <Notice look="bad">{messageOf(rotate.error)}</Notice>}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={rotate.isPending} onClick={go}>
          Rotate key
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
