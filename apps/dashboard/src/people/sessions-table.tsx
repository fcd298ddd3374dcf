import type { ConsoleReply } from '@slipway/contracts';
import { useMutation } from '@tanstack/react-query';
import { type JSX, useMemo, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { PROFILE_SEARCH } from '../searches.js';
import { session } from '../session/session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column, RowAction } from '../ui/data-table/types.js';
import { Moment } from '../ui/moment.js';
import { Section } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { clientName } from './client-name.js';

type OwnSession = ConsoleReply<'sessions/list'>['sessions'][number];

const columnsFor = (current: string): readonly Column<OwnSession>[] => [
  {
    ...{ id: 'browser', title: 'Browser', width: 180 },
    cell: ({ client }) => <span title={client ?? undefined}>{clientName(client)}</span>,
    value: ({ client }) => clientName(client),
  },
  {
    ...{ id: 'current', title: 'Session', width: 120, card: 'status' as const },
    cell: ({ id }) => (id === current ? <Status look="good" text="This one" /> : <span className="text-muted">Other</span>),
    value: ({ id }) => (id === current ? 'This one' : 'Other'),
  },
  { id: 'address', title: 'Address', width: 140, cell: ({ address }) => address ?? '–', value: ({ address }) => address },
  {
    ...{ id: 'began', title: 'Signed in', width: 120 },
    cell: ({ created_at: at }) => <Moment at={at} />,
    value: ({ created_at: at }) => Date.parse(at),
  },
  {
    ...{ id: 'used', title: 'Last used', width: 120, card: 'figure' as const },
    cell: ({ last_used_at: at }) => <Moment at={at} />,
    value: ({ last_used_at: at }) => Date.parse(at),
  },
];

/** Where the person is signed in, and how to end that. @param current the session of this page */
export function SessionsTable({ current }: { readonly current: string }): JSX.Element {
  const list = useCall('sessions/list', {});
  const table = useUrlState(PROFILE_SEARCH);
  const [isEnding, setEnding] = useState(false);
  const end = useChange('sessions/end', ['sessions']);
  const columns = useMemo(() => columnsFor(current), [current]);
  const actions = ({ id }: OwnSession): readonly RowAction[] => [
    {
      ...{ label: 'Sign out', danger: true, disabled: id === current },
      onSelect: () =>
        end.mutate(
          { session: id },
          { onSuccess: () => announce('Signed out there.'), onError: (error) => announce(messageOf(error), 'bad') },
        ),
    },
  ];
  return (
    <Section title="Sessions" actions={<Button onClick={() => setEnding(true)}>Sign out everywhere</Button>}>
      <DataTable
        label="Sessions"
        rows={list.data?.sessions}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ client, address }) => `${clientName(client)}${address === null ? '' : `, ${address}`}`}
        state={table}
        rowActions={actions}
        query={list}
        empty={<p className="text-muted">No sessions.</p>}
      />
      {isEnding && <EverywhereDialog onClose={() => setEnding(false)} />}
    </Section>
  );
}

function EverywhereDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const everywhere = useMutation({
    mutationFn: () => session.ask('/api/sign-out-everywhere', { body: {} }),
    onSuccess: () => session.forget(false),
  });
  return (
    <ConfirmDialog title="Sign out everywhere" action="Sign out everywhere" onClose={onClose} onConfirm={() => everywhere.mutateAsync()}>
      <p>All sessions end, including this one. API keys stay active.</p>
    </ConfirmDialog>
  );
}
