import type { DeploymentView } from '@slipway/contracts';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { lookAgainAfter } from '../deployments/deployment-actions.js';
import { slugOf } from '../deployments/inference-target.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Empty, Page } from '../ui/page.js';
import { Bench } from './bench.js';

/** Asks a deployment, or two at once, as programs ask them. */
export function PlaygroundScreen(): JSX.Element {
  const mayChange = useMayChange();
  const listed = useCall('deployments/list', {}, { every: (data) => lookAgainAfter(data?.deployments ?? []) });
  if (!mayChange) {
    return (
      <Page title="Playground">
        <Notice look="info">Answers use what the account pays for, so viewers cannot ask. An owner can make you a member.</Notice>
      </Page>
    );
  }
  return (
    <Page
      title="Playground"
      about="Ask a deployment, or two at once, as your programs ask them. It counts as usage of the key “Playground”."
    >
      <Loaded query={listed} what="Deployments" rows={6}>
        {({ deployments }) => <Chosen deployments={deployments.filter(({ state }) => state !== 'deleting')} />}
      </Loaded>
    </Page>
  );
}

/** Which deployments are asked stands in the address. */
function Chosen({ deployments }: { readonly deployments: readonly DeploymentView[] }): JSX.Element {
  const { deployment: wanted, beside } = useSearch({ from: '/inside/$account/playground' });
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const bySlug = (slug: string | undefined): DeploymentView | undefined => deployments.find((one) => slugOf(one) === slug);
  const first = bySlug(wanted) ?? deployments.find(({ state }) => state === 'ready') ?? deployments[0];
  if (!first) {
    return (
      <Empty
        title="Nothing to ask yet"
        action={
          <Link to="/$account/deployments" params={{ account }} className="font-medium text-accent underline">
            Create a deployment
          </Link>
        }
      >
        A deployment is a served model. Create one, and ask it here.
      </Empty>
    );
  }
  const choose = (slug: string, other: string | undefined): void =>
    void navigate({
      to: '/$account/playground',
      params: { account },
      search: { deployment: slug, ...(other !== undefined && { beside: other }) },
      replace: true,
    });
  const second = bySlug(beside);
  return (
    <Bench
      first={first}
      second={second}
      deployments={deployments}
      onFirst={(slug) => choose(slug, second && slugOf(second))}
      onSecond={(slug) => choose(slugOf(first), slug)}
    />
  );
}
