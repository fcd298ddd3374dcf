import type { InvitationView } from '@slipway/contracts';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall, useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Table } from '../ui/table.js';
import { roleLabel } from './roles.js';

/** Open invitations. */
export function Invitations(): JSX.Element {
  const list = useCall('invitations/list', {});
  const revoke = useChange('invitations/revoke', ['invitations']);
  const revokeIt = (invitation: number): void =>
    revoke.mutate(
      { invitation },
      { onSuccess: () => announce('The invitation is revoked.'), onError: (error) => announce(messageOf(error), 'bad') },
    );
  const revokeButton = ({ id, email }: InvitationView): JSX.Element => (
    <div className="flex justify-end">
      <Button
        aria-label={`Revoke the invitation of ${email ?? 'whoever has the link'}`}
        busy={revoke.isPending && revoke.variables.invitation === id}
        onClick={() => revokeIt(id)}
      >
        Revoke
      </Button>
    </div>
  );
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-lg font-semibold">Open invitations</h2>
      <Loaded query={list} what="Invitations" rows={1}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p className="text-muted">There are no open invitations.</p>
          ) : (
            <Table
              caption="Open invitations"
              rows={invitations}
              keyOf={({ id }) => id}
              columns={[
                { title: 'For', cell: ({ email }) => email ?? 'Whoever has the link' },
                { title: 'Role', cell: ({ role }) => roleLabel(role) },
                { title: 'Made', cell: ({ created_at: at }) => <Moment at={at} /> },
                { title: 'Ends', cell: ({ expires_at: at }) => <Moment at={at} /> },
                { title: '', cell: revokeButton },
              ]}
            />
          )
        }
      </Loaded>
    </section>
  );
}
