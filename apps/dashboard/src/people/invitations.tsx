import type { InvitationView } from '@slipway/contracts';
import { type JSX, useMemo, useState } from 'react';
import { useCall, useChange } from '../api/use-call.js';
import { INVITED_SEARCH } from '../searches.js';
import { announce } from '../ui/announcements.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { BulkAction, Column, Facet, RowAction } from '../ui/data-table/types.js';
import { Moment } from '../ui/moment.js';
import { Section } from '../ui/page.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { InvitationLink } from './invitation-link.js';
import { roleLabel } from './roles.js';

const forOf = ({ email }: InvitationView): string => email ?? 'Anyone with the link';

const COLUMNS: readonly Column<InvitationView>[] = [
  { id: 'for', title: 'Email', width: 260, cell: (one) => <span title={forOf(one)}>{forOf(one)}</span>, value: forOf },
  { id: 'role', title: 'Role', width: 120, card: 'status', cell: ({ role }) => roleLabel(role), value: ({ role }) => roleLabel(role) },
  {
    ...{ id: 'created', title: 'Created', width: 140 },
    cell: ({ created_at: at }) => <Moment at={at} />,
    value: ({ created_at: at }) => Date.parse(at),
  },
  {
    ...{ id: 'expires', title: 'Expires', width: 140, card: 'figure' as const },
    cell: ({ expires_at: at }) => <Moment at={at} />,
    value: ({ expires_at: at }) => Date.parse(at),
  },
];
const FACETS: readonly Facet<InvitationView>[] = [
  { id: 'role', title: 'Role', of: ({ role }) => [role], words: (role) => roleLabel(role as InvitationView['role']) },
];

type Doing = { readonly kind: 'resend' | 'revoke'; readonly invitations: readonly InvitationView[] };

/** Invitations that nobody has accepted yet. Nothing where there are none. */
export function Invitations(): JSX.Element | null {
  const table = useUrlState(INVITED_SEARCH);
  const list = useCall('invitations/list', {}, { every: () => 30_000 });
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const bulk = useMemo(
    (): readonly BulkAction<InvitationView>[] => [
      {
        ...{ label: 'Revoke', danger: true },
        onSelect: (invitations, clear) => {
          clear();
          setDoing({ kind: 'revoke', invitations });
        },
      },
    ],
    [],
  );
  if (list.data?.invitations.length === 0) return null;
  const actions = (invitation: InvitationView): readonly RowAction[] => [
    { label: 'Resend', onSelect: () => setDoing({ kind: 'resend', invitations: [invitation] }) },
    { label: 'Revoke', danger: true, onSelect: () => setDoing({ kind: 'revoke', invitations: [invitation] }) },
  ];
  const [first] = doing?.invitations ?? [];
  return (
    <Section title="Pending invitations">
      <DataTable
        label="Pending invitations"
        rows={list.data?.invitations}
        columns={COLUMNS}
        facets={FACETS}
        keyOf={({ id }) => id}
        nameOf={forOf}
        state={table}
        rowActions={actions}
        bulkActions={bulk}
        query={list}
        empty={null}
      />
      {doing?.kind === 'resend' && first && <ResendDialog invitation={first} onClose={close} />}
      {doing?.kind === 'revoke' && <RevokeDialog invitations={doing.invitations} onClose={close} />}
    </Section>
  );
}

interface ResendProps {
  readonly invitation: InvitationView;
  readonly onClose: () => void;
}

function ResendDialog({ invitation, onClose }: ResendProps): JSX.Element {
  const renew = useChange('invitations/renew', ['invitations']);
  const title = `Invitation for ${forOf(invitation)}`;
  if (renew.data) {
    return <InvitationLink isRenewed title={title} token={renew.data.token} expiresAt={renew.data.expires_at} onDone={onClose} />;
  }
  return (
    <ConfirmDialog
      title={title}
      action="Create new link"
      danger={false}
      onClose={onClose}
      onConfirm={() => renew.mutateAsync({ invitation: invitation.id })}
    >
      <p>A new link is valid for seven days. The link sent before stops working.</p>
    </ConfirmDialog>
  );
}

interface RevokeProps {
  readonly invitations: readonly InvitationView[];
  readonly onClose: () => void;
}

function RevokeDialog({ invitations, onClose }: RevokeProps): JSX.Element {
  const revoke = useChange('invitations/revoke', ['invitations']);
  const [first] = invitations;
  const what = invitations.length === 1 && first ? `the invitation for ${forOf(first)}` : `${invitations.length} invitations`;
  return (
    <ConfirmDialog
      title={`Revoke ${what}`}
      action="Revoke"
      onClose={onClose}
      onConfirm={async () => {
        for (const { id } of invitations) await revoke.mutateAsync({ invitation: id });
        announce(invitations.length === 1 ? 'Invitation revoked.' : `${invitations.length} invitations revoked.`);
        onClose();
      }}
    >
      <p>The link stops working immediately. You can invite the person again.</p>
    </ConfirmDialog>
  );
}
