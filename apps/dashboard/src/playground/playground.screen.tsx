import type { DeploymentView } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { slugOf } from '../deployments/inference-target.js';
import { useDeployments } from '../deployments/use-deployments.js';
import { useAccount, useMayChange, useSession } from '../session/use-session.js';
import { PLAYGROUND_SEARCH } from '../searches.js';
import { buttonClass } from '../ui/button.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Empty, Page } from '../ui/page.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { Bench } from './bench.js';
import { workspaceOf } from './workspace.js';

/** Sends requests to one deployment or to two at once, as programs do. */
export function PlaygroundScreen(): JSX.Element {
  const mayChange = useMayChange();
  const listed = useDeployments();
  if (!mayChange) {
    return (
      <Page title="Playground">
        <Notice look="info">
          The playground uses the account’s budget, so viewers cannot send requests. An owner can make you a member.
        </Notice>
      </Page>
    );
  }
  return (
    <Page title="Playground" about="Requests count as usage of the key “Playground”.">
      <Loaded query={listed} what="Deployments" rows={6}>
        {(deployments) => <Chosen deployments={deployments.filter(({ state }) => state !== 'deleting')} />}
      </Loaded>
    </Page>
  );
}

/** The address names the deployments that are asked. */
function Chosen({ deployments }: { readonly deployments: readonly DeploymentView[] }): JSX.Element | null {
  const [{ deployment: wanted, beside }, setSearch] = useUrlState(PLAYGROUND_SEARCH);
  const { slug: account } = useAccount();
  const state = useSession();
  const bySlug = (slug: string | undefined): DeploymentView | undefined => deployments.find((one) => slugOf(one) === slug);
  const first = bySlug(wanted) ?? deployments.find(({ state }) => state === 'ready') ?? deployments[0];
  if (!first) {
    return (
      <Empty
        title="No deployments yet"
        icon="chat"
        action={
          <Link to="/$account/deployments/create" params={{ account }} data-shortcut="create" className={buttonClass('main')}>
            Create deployment
          </Link>
        }
      >
        Deploy a model, then talk to it here.
      </Empty>
    );
  }
  const second = bySlug(beside);
  if (state.kind !== 'in') return null;
  return (
    <Bench
      key={`${state.user} ${account}`}
      workspace={workspaceOf(state.user, account)}
      first={first}
      second={second}
      deployments={deployments}
      onFirst={(slug) => setSearch({ deployment: slug })}
      onSecond={(slug) => setSearch({ deployment: slugOf(first), beside: slug ?? '' })}
    />
  );
}
