import type { MemberView } from '@slipway/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { call } from '../api/use-call.js';
import { useAccount, useSession } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Menu } from '../ui/menu.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { type Column, Table } from '../ui/table.js';
import { Invitations } from './invitations.js';
import { InviteDialog } from './invite-dialog.js';
import { RemoveMemberDialog, RoleDialog } from './member-dialogs.js';
import { roleLabel } from './roles.js';

type Doing = { readonly kind: 'invite' } | { readonly kind: 'role' | 'remove'; readonly member: MemberView };

export function MembersScreen(): JSX.Element {
  const { role } = useAccount();
  const isOwner = role === 'owner';
  const [doing, setDoing] = useState<Doing | null>(null);
  const close = (): void => setDoing(null);
  return (
    <Page
      title="Members"
      about="People who sign in to this account."
      actions={
        isOwner ? (
          <Button look="main" icon="plus" onClick={() => setDoing({ kind: 'invite' })}>
            Invite somebody
          </Button>
        ) : undefined
      }
    >
      <MemberList isOwner={isOwner} onAction={(kind, member) => setDoing({ kind, member })} />
      {isOwner && <Invitations />}
      {doing?.kind === 'invite' && <InviteDialog onClose={close} />}
      {doing?.kind === 'role' && <RoleDialog member={doing.member} onClose={close} />}
      {doing?.kind === 'remove' && <RemoveMemberDialog member={doing.member} onClose={close} />}
    </Page>
  );
}

interface MemberListProps {
  readonly isOwner: boolean;
  readonly onAction: (kind: 'role' | 'remove', member: MemberView) => void;
}

/** @param onAction null where the viewer of the list may change nothing */
function columnsOf(me: number | null, onAction: MemberListProps['onAction'] | null): Column<MemberView>[] {
  const columns: Column<MemberView>[] = [
    {
      title: 'Person',
      cell: ({ name, email, user }) => (
        <div className="min-w-0">
          <div className="font-medium break-words">
            {name || email}
            {me === user && <span className="font-normal text-muted"> (you)</span>}
          </div>
          {name !== '' && <div className="text-sm break-all text-muted">{email}</div>}
        </div>
      ),
    },
    { title: 'Role', cell: ({ role }) => roleLabel(role) },
    { title: 'Joined', cell: ({ joined_at: at }) => <Moment at={at} /> },
    { title: 'Last sign-in', cell: ({ last_sign_in_at: at }) => (at === null ? 'Never' : <Moment at={at} />) },
  ];
  if (onAction) columns.push({ title: '', cell: (member) => <MemberMenu member={member} onAction={onAction} /> });
  return columns;
}

function MemberMenu({ member, onAction }: Pick<MemberListProps, 'onAction'> & { readonly member: MemberView }): JSX.Element {
  return (
    <div className="flex justify-end">
      <Menu
        label={`Actions for ${member.email}`}
        triggerClass="rounded-md p-2 hover:bg-sunken"
        trigger={<Icon name="more" className="size-5" />}
        entries={[
          { label: 'Change role', onSelect: () => onAction('role', member) },
          { label: 'Remove from the account', danger: true, onSelect: () => onAction('remove', member) },
        ]}
      />
    </div>
  );
}

function MemberList({ isOwner, onAction }: MemberListProps): JSX.Element {
  const me = useSession();
  const list = useInfiniteQuery({
    queryKey: ['members/list'],
    queryFn: ({ pageParam }) => call('members/list', pageParam === undefined ? {} : { after: pageParam }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const again = <Button onClick={() => void list.refetch()}>Try again</Button>;
  if (!list.data) {
    return list.isError ? (
      <Notice look="bad" action={again}>
        {messageOf(list.error)}
      </Notice>
    ) : (
      <p role="status" className="text-muted">
        Loading members …
      </p>
    );
  }
  return (
    <>
      {list.isError && (
        <Notice look="warn" action={again}>
          {messageOf(list.error)} The list may be out of date.
        </Notice>
      )}
      <Table
        caption="Members"
        columns={columnsOf(me.kind === 'in' ? me.user : null, isOwner ? onAction : null)}
        rows={list.data.pages.flatMap(({ members }) => members)}
        keyOf={({ user }) => user}
      />
      {list.hasNextPage && (
        <div>
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
