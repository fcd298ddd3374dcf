import type { ConsoleReply } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { KeyValues } from '../ui/key-values.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { agentName } from './agent-name.js';
import { MomentOrNever } from './key-cells.js';
import { ownerOf } from './key-state.js';
import { McpConfigurationDialog, McpKeyReveal } from './mcp-configuration.js';
import { reachOf } from './reach.js';

type Doing = { readonly kind: 'rotate' } | { readonly kind: 'configure' } | { readonly kind: 'reveal'; readonly value: string };
type Found = ConsoleReply<'mcp-key/find'>;

/** The MCP key of the account: created once, replaced by rotation. */
export function McpKeyCard(): JSX.Element {
  const found = useCall('mcp-key/find', {}, { every: () => 15_000 });
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const key = found.data?.key;
  return (
    <Panel title="MCP key" {...(found.data && { actions: <Status {...(key ? EXISTS : MISSING)} /> })}>
      <Loaded query={found} what="MCP key" shape="text">
        {({ key: present, last_client: client }) =>
          present === null ? (
            <p className="text-muted">With an MCP key, agents such as Claude Code or Cursor manage the deployments of this account.</p>
          ) : (
            <Facts subject={present} client={client} />
          )
        }
      </Loaded>
      <Actions subject={key} onDo={setDoing} />
      {key && <p className="text-xs text-muted">An account has one MCP key. Rotation replaces it.</p>}
      {doing?.kind === 'rotate' && <RotateDialog onClose={close} onRotated={(value) => setDoing({ kind: 'reveal', value })} />}
      {doing?.kind === 'configure' && <McpConfigurationDialog onClose={close} />}
      {doing?.kind === 'reveal' && <McpKeyReveal value={doing.value} onDone={close} />}
    </Panel>
  );
}

const EXISTS = { look: 'good', text: 'Active' } as const;
const MISSING = { look: 'plain', text: 'None yet' } as const;

interface ActionsProps {
  /** Undefined until it is known, null where there is none. */
  readonly subject: Found['key'] | undefined;
  readonly onDo: (doing: Doing) => void;
}

/** Creates or rotates the key; the configuration is offered always. */
function Actions({ subject, onDo }: ActionsProps): JSX.Element {
  const create = useChange('mcp-key/create', ['mcp-key/']);
  const mayChange = useMayChange();
  const make = (): void => create.mutate({}, { onSuccess: ({ value }) => onDo({ kind: 'reveal', value }) });
  return (
    <>
      {create.isError && <Notice look="bad">{messageOf(create.error)}</Notice>}
      <div className="flex flex-wrap gap-2">
        {mayChange && subject === null && (
          <Button look="main" icon="plus" data-shortcut="create" busy={create.isPending} onClick={make}>
            Create MCP key
          </Button>
        )}
        {mayChange && subject && (
          <Button icon="rotate" onClick={() => onDo({ kind: 'rotate' })}>
            Rotate
          </Button>
        )}
        <Button icon="code" onClick={() => onDo({ kind: 'configure' })}>
          MCP Configuration
        </Button>
      </div>
    </>
  );
}

interface FactsProps {
  readonly subject: NonNullable<Found['key']>;
  readonly client: Found['last_client'];
}

function Facts({ subject, client }: FactsProps): JSX.Element {
  const owner = ownerOf(subject.created_by);
  return (
    <KeyValues
      facts={[
        ['Key', <code key="hint">{subject.hint}…</code>],
        [
          'Created',
          <span key="created">
            <Moment at={subject.created_at} />
            {owner !== null && <span className="text-muted"> by {owner}</span>}
          </span>,
        ],
        subject.rotated_at != null && ['Rotated', <Moment key="rotated" at={subject.rotated_at} />],
        ['Last used', <MomentOrNever key="used" at={subject.last_used_at} />],
        [
          'Last client',
          client == null ? (
            <span className="text-muted">None</span>
          ) : (
            <span key="client" title={client}>
              {agentName(client)}
            </span>
          ),
        ],
      ]}
    />
  );
}

function RotateDialog({ onClose, onRotated }: { readonly onClose: () => void; readonly onRotated: (value: string) => void }): JSX.Element {
  const rotate = useChange('mcp-key/rotate', ['mcp-key/']);
  const go = async (): Promise<void> => {
    const reply = await rotate.mutateAsync({});
    announce(reachOf(reply, 'The old value stopped working.'));
    onRotated(reply.value);
  };
  return (
    <ConfirmDialog title="Rotate the MCP key" action="Rotate key" onConfirm={go} onClose={onClose}>
      The current value stops working at once. Agents that use it are refused until you replace it in their settings.
    </ConfirmDialog>
  );
}
