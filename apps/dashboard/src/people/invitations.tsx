import type { InvitationView } from '@slipway/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { people } from '../api/people-api.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Table } from '../ui/table.js';
import { roleLabel } from './roles.js';

/** Invitations that wait. */
export function Invitations(): JSX.Element {
  const client = useQueryClient();
  const list = useQuery({ queryKey: ['invitations'], queryFn: people.invitations });
  const revoke = useMutation({
    mutationFn: people.revokeInvitation,
    onSuccess: () => announce('The invitation is revoked.'),
    onError: (error) => announce(messageOf(error), 'bad'),
    onSettled: () => client.invalidateQueries({ queryKey: ['invitations'] }),
  });
  const revokeButton = ({ id, email }: InvitationView): JSX.Element => (
    <div className="flex justify-end">
      <Button
        aria-label={`Revoke the invitation of ${email ?? 'whoever has the link'}`}
        busy={revoke.isPending && revoke.variables === id}
        onClick={() => revoke.mutate(id)}
      >
        Revoke
      </Button>
    </div>
  );
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-lg font-semibold">Invitations that wait</h2>
      <Loaded query={list} what="Invitations" rows={1}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p className="text-muted">Nobody has an invitation open.</p>
          ) : (
            <Table
              caption="Invitations that wait"
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
