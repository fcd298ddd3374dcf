import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatDay } from '../format/time.js';
import { plural } from '../format/number.js';
import { useMayChange } from '../session/use-session.js';
import { Status } from '../ui/status.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';
import { Moment } from '../ui/moment.js';
import { type Column, Table, Truncated } from '../ui/table.js';
import { useNow } from '../ui/use-now.js';
import { KeyBudgets } from './budget-bar.js';
import { KeyOrigin } from './key-origin.js';
import { actionsOf, badgeOf, type KeyAction } from './key-state.js';

const WORDS: Readonly<Record<KeyAction, string>> = { rename: 'Rename', limit: 'Access and limits', rotate: 'Rotate', revoke: 'Revoke' };

export interface KeysTableProps {
  readonly keys: readonly KeyView[];
  readonly onAction: (action: KeyAction, key: KeyView) => void;
}

export function KeysTable({ keys, onAction }: KeysTableProps): JSX.Element {
  const mayChange = useMayChange();
  const now = useNow();
  const columns: Column<KeyView>[] = [
    { title: 'Name', cell: ({ name }) => <Truncated text={name} strong /> },
    { title: 'Key', cell: ({ hint }) => <code className="font-mono text-sm text-muted">{hint}…</code> },
    {
      title: 'Access',
      cell: ({ id, deployments, limits }) => (
        <>
          {deployments == null ? 'All' : plural(deployments.length, 'deployment')}
          {limits !== undefined && Object.keys(limits).length > 0 && <span className="text-muted">, limited</span>}
          <KeyBudgets id={id} limits={limits} />
        </>
      ),
    },
    { title: 'Created', cell: (key) => <KeyOrigin subject={key} /> },
    { title: 'Last used', cell: ({ last_used_at: at }) => <LastUsed at={at} /> },
    {
      title: 'Expires',
      cell: ({ expires_at: at }) =>
        at == null ? (
          'Never'
        ) : (
          <time dateTime={at} className="whitespace-nowrap">
            {formatDay(at)}
          </time>
        ),
    },
    { title: 'State', cell: (key) => <Status {...badgeOf(key, now)} /> },
  ];
  if (mayChange) {
    columns.push({
      title: '',
      cell: (key) => (
        <div className="flex justify-end">
          <Menu
            label={`Actions for ${key.name}`}
            triggerClass="rounded-md p-2 hover:bg-sunken"
            trigger={<Icon name="more" className="size-5" />}
            entries={actionsOf(key).map((action) => ({
              label: WORDS[action],
              danger: action === 'revoke',
              onSelect: () => onAction(action, key),
            }))}
          />
        </div>
      ),
    });
  }
  return <Table caption="Deployment keys" columns={columns} rows={keys} keyOf={({ id }) => id} />;
}

function LastUsed({ at }: { readonly at: string | null | undefined }): JSX.Element {
  if (at === undefined) return <>–</>;
  return at === null ? <>Never</> : <Moment at={at} />;
}
