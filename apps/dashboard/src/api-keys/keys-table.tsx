import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { formatDay } from '../format/time.js';
import { formatCount } from '../format/number.js';
import { useMayChange } from '../session/use-session.js';
import { Badge } from '../ui/badge.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';
import { Moment } from '../ui/moment.js';
import { type Column, Table } from '../ui/table.js';
import { useNow } from '../ui/use-now.js';
import { actionsOf, badgeOf } from './key-state.js';
import { useKeyUse } from './use-key-use.js';

export type KeyAction = 'rename' | 'rotate' | 'revoke';

const WORDS: Readonly<Record<KeyAction, string>> = { rename: 'Rename', rotate: 'Rotate', revoke: 'Revoke' };

export interface KeysTableProps {
  readonly keys: readonly KeyView[];
  readonly onAction: (action: KeyAction, key: KeyView) => void;
}

export function KeysTable({ keys, onAction }: KeysTableProps): JSX.Element {
  const use = useKeyUse();
  const mayChange = useMayChange();
  const now = useNow();
  const columns: Column<KeyView>[] = [
    { title: 'Name', cell: ({ name }) => <span className="font-medium break-words">{name}</span> },
    { title: 'Key', cell: ({ hint }) => <code className="font-mono text-sm text-muted">{hint}…</code> },
    { title: 'State', cell: (key) => <Badge {...badgeOf(key, now)} /> },
    { title: 'Requests, 24 h', numeric: true, cell: ({ id }) => (use ? formatCount(use.get(id) ?? 0) : '–') },
    { title: 'Created', cell: ({ created_at: at }) => <Moment at={at} /> },
    { title: 'Expires', cell: ({ expires_at: at }) => (at == null ? 'Never' : <time dateTime={at}>{formatDay(at)}</time>) },
  ];
  if (mayChange) {
    columns.push({
      title: '',
      cell: (key) => (
        <div className="flex justify-end">
          <Menu
            label={`Actions for ${key.name}`}
            triggerClass="rounded-md p-2 hover:bg-sunken"
            trigger={<Icon name="more" />}
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
