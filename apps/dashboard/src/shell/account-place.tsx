import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { me as askMe } from '../api/use-call.js';
import { session } from '../session/session.js';
import { useAccount } from '../session/use-session.js';
import { Button, buttonClass } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { Empty, Page } from '../ui/page.js';

/** The screens of the account that the address names, where it is the one in which somebody works. */
export function AccountPlace(): JSX.Element {
  const { account: named } = useParams({ from: '/inside/$account' });
  const { slug } = useAccount();
  return named === slug ? <Outlet /> : <Elsewhere key={named} named={named} />;
}

/** Says that the address belongs to another account: nobody changes accounts without knowing it. */
function Elsewhere({ named }: { readonly named: string }): JSX.Element {
  const { slug } = useAccount();
  const me = useQuery({ queryKey: ['me'], queryFn: askMe });
  const change = useMutation({ mutationFn: () => session.switchTo(named) });
  const isMember = me.data?.memberships.some((membership) => membership.slug === named) ?? false;
  const back = (
    <Link to="/$account/deployments" params={{ account: slug }} className={buttonClass('plain')}>
      Stay in {slug}
    </Link>
  );
  if (!isMember) {
    return (
      <Page title="Not found">
        <Empty title="This page does not exist." action={back}>
          You are in “{slug}”. You do not belong to an account “{named}”; to open what is in it, ask one of its owners for an invitation.
        </Empty>
      </Page>
    );
  }
  const actions = (
    <div className="flex flex-wrap gap-2">
      <Button look="main" busy={change.isPending} onClick={() => change.mutate()}>
        Switch to {named}
      </Button>
      {back}
    </div>
  );
  return (
    <Page title="Another account">
      <Empty title={`You are in “${slug}”; this belongs to “${named}”.`} action={actions}>
        Switching affects this tab only.
      </Empty>
      {change.isError && <Notice look="bad">{messageOf(change.error)}</Notice>}
    </Page>
  );
}
