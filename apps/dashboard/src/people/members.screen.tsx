import type { MemberView } from '@slipway/contracts';
import { type JSX, lazy, Suspense, useMemo, useState } from 'react';
import { useEveryMember } from '../api/lists.js';
import { useCall } from '../api/use-call.js';
import { MEMBERS_SEARCH } from '../searches.js';
import { useAccount, useSession } from '../session/use-session.js';
import { Avatar } from '../ui/avatar.js';
import { Button } from '../ui/button.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column, Facet, RowAction } from '../ui/data-table/types.js';
import { Moment } from '../ui/moment.js';
import { Page, Section } from '../ui/page.js';
import { StatGrid } from '../ui/stat-grid.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { Invitations } from './invitations.js';
import { calledOf, roleLabel, seatsOf } from './roles.js';

const InviteDialog = lazy(async () => ({ default: (await import('./invite-dialog.js')).InviteDialog }));
const RoleDialog = lazy(async () => ({ default: (await import('./member-dialogs.js')).RoleDialog }));
const RemoveMemberDialog = lazy(async () => ({ default: (await import('./member-dialogs.js')).RemoveMemberDialog }));

type Doing = { readonly kind: 'invite' } | { readonly kind: 'role' | 'remove'; readonly member: MemberView };

/** The people of the account: who they are, what they may do, and who is invited. */
export function MembersScreen(): JSX.Element {
  const isOwner = useAccount().role === 'owner';
  const me = useSession();
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  const mine = me.kind === 'in' ? me.user : null;
  return (
    <Page
      title="Members"
      actions={
        isOwner && (
          <Button look="main" icon="plus" data-shortcut="create" onClick={() => setDoing({ kind: 'invite' })}>
            Invite
          </Button>
        )
      }
    >
      <Seats isOwner={isOwner} />
      <MemberTable me={mine} {...(isOwner && { onAction: (kind, member) => setDoing({ kind, member }) })} />
      {isOwner && <Invitations />}
      <Suspense>
        {doing?.kind === 'invite' && <InviteDialog onClose={close} />}
        {doing?.kind === 'role' && <RoleDialog member={doing.member} isMe={doing.member.user === mine} onClose={close} />}
        {doing?.kind === 'remove' && <RemoveMemberDialog member={doing.member} isMe={doing.member.user === mine} onClose={close} />}
      </Suspense>
    </Page>
  );
}

/** How many people have which role. */
function Seats({ isOwner }: { readonly isOwner: boolean }): JSX.Element {
  const { data: members } = useEveryMember();
  const { data: invited } = useCall('invitations/list', {}, { enabled: isOwner });
  const count = (value: number | undefined): string => (value === undefined ? '–' : String(value));
  return (
    <StatGrid
      label="Seats"
      stats={[
        { label: 'People', value: count(members?.length) },
        ...seatsOf(members ?? []).map((seat) => ({ label: seat.label, value: count(members && seat.count) })),
        ...(isOwner ? [{ label: 'Pending invitations', value: count(invited?.invitations.length) }] : []),
      ]}
    />
  );
}

/** The console knows of a use ten minutes late; older replicas know the last sign-in alone. */
const activeAt = ({ last_active_at: active, last_sign_in_at: signIn }: MemberView): string | null => active ?? signIn;

const columnsFor = (me: number | null): readonly Column<MemberView>[] => [
  {
    ...{ id: 'name', title: 'Person', width: 280, pin: 'left' as const },
    cell: (member) => (
      <span className="flex min-w-0 items-center gap-2.5">
        <Avatar name={calledOf(member)} />
        <span className="min-w-0 truncate" title={calledOf(member)}>
          {calledOf(member)}
          {me === member.user && <span className="font-normal text-muted"> (you)</span>}
        </span>
      </span>
    ),
    value: calledOf,
  },
  { id: 'email', title: 'Email', width: 240, cell: ({ email }) => <span title={email}>{email}</span>, value: ({ email }) => email },
  { id: 'role', title: 'Role', width: 110, card: 'status', cell: ({ role }) => roleLabel(role), value: ({ role }) => roleLabel(role) },
  {
    ...{ id: 'active', title: 'Last active', width: 130, card: 'figure' as const },
    cell: (member) => <Maybe at={activeAt(member)} />,
    value: (member) => Date.parse(activeAt(member) ?? '') || null,
  },
  {
    ...{ id: 'signed-in', title: 'Last sign-in', width: 130, hidden: true as const },
    cell: ({ last_sign_in_at: at }) => <Maybe at={at} />,
    value: ({ last_sign_in_at: at }) => Date.parse(at ?? '') || null,
  },
  {
    ...{ id: 'joined', title: 'Joined', width: 130 },
    cell: ({ joined_at: at }) => <Moment at={at} />,
    value: ({ joined_at: at }) => Date.parse(at),
  },
];

const Maybe = ({ at }: { readonly at: string | null }): JSX.Element =>
  at === null ? <span className="text-muted">Never</span> : <Moment at={at} />;

const FACETS: readonly Facet<MemberView>[] = [
  { id: 'role', title: 'Role', of: ({ role }) => [role], words: (role) => roleLabel(role as MemberView['role']) },
];

interface MemberTableProps {
  readonly me: number | null;
  /** Absent where the reader may change nothing. */
  readonly onAction?: (kind: 'role' | 'remove', member: MemberView) => void;
}

function MemberTable({ me, onAction }: MemberTableProps): JSX.Element {
  const list = useEveryMember();
  const table = useUrlState(MEMBERS_SEARCH);
  const columns = useMemo(() => columnsFor(me), [me]);
  const actions = (member: MemberView): readonly RowAction[] => [
    { label: 'Change role', onSelect: () => onAction?.('role', member) },
    { label: 'Remove', danger: true, onSelect: () => onAction?.('remove', member) },
  ];
  return (
    <Section title="People">
      <DataTable
        label="Members"
        rows={list.data}
        {...{ columns }}
        facets={FACETS}
        keyOf={({ user }) => user}
        nameOf={({ email }) => email}
        state={table}
        {...(onAction && { rowActions: actions })}
        query={list}
        empty={<p className="text-muted">No members.</p>}
      />
    </Section>
  );
}
