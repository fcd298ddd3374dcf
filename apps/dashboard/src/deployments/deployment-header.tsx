import type { DeploymentView } from '@slipway/contracts';
import { dimensionsIn, modelNameOf, sourceText, taskOf } from '@slipway/contracts/engines';
import { Link, useNavigate } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useAddresses } from '../api/use-call.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { formatCount } from '../format/number.js';
import { Button, buttonClass } from '../ui/button.js';
import { CopyIcon } from '../ui/copy-button.js';
import { Truncated } from '../ui/data-table/truncated.js';
import { Icon } from '../ui/icon.js';
import { Menu, type MenuEntry, type MenuGroup } from '../ui/menu.js';
import { actionsOf, rollbackRev } from './deployment-actions.js';
import { type DeploymentCommands, useDeploymentCommands } from './deployment-commands.js';
import type { DeploymentDetails } from './deployment-details.js';
import { slugOf, targetOf } from './inference-target.js';
import { RollBackDialog } from './roll-back-dialog.js';

/** Names by which clients and people know a deployment, each to be copied. */
export function HeaderNames({ deployment }: Pick<DeploymentDetails, 'deployment'>): JSX.Element {
  const { slug: account } = useAccount();
  const gateway = useAddresses()?.gateway_url;
  const [alias] = deployment.aliases;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <Copyable text={slugOf(deployment)} />
      {alias !== undefined && <Copyable text={`${account}/${alias}`} />}
      {gateway !== undefined && <Copyable text={`${gateway}/${targetOf(gateway, account, deployment).path}/v1`} />}
      <span className="flex min-w-0 items-center gap-1.5" title={sourceText(deployment.source)}>
        <Icon name="layers" className="size-3.5" />
        <Truncated text={modelNameOf(deployment.source)} cut="middle" />
      </span>
      <Does caps={deployment.caps} />
      {deployment.adapter && (
        <Link
          to="/$account/fine-tuning/adapters/$id"
          params={{ account, id: String(deployment.adapter.id) }}
          className="inline-flex min-w-0 items-center gap-1.5 text-accent underline"
        >
          <Icon name="train" className="size-3.5" />
          <span className="min-w-0 truncate">
            Adapter {deployment.adapter.name} v{deployment.adapter.version}
          </span>
        </Link>
      )}
    </div>
  );
}

/** What the deployment does, once an engine has reported. */
function Does({ caps }: { readonly caps: readonly string[] }): JSX.Element | null {
  const task = taskOf(caps);
  if (task === null) return null;
  const dimensions = dimensionsIn(caps);
  const text = task === 'chat' ? 'Chat' : `Embeddings${dimensions === null ? '' : ` of ${formatCount(dimensions)} numbers`}`;
  return (
    <span className="flex items-center gap-1.5">
      <Icon name={task === 'chat' ? 'chat' : 'columns'} className="size-3.5" />
      {text}
    </span>
  );
}

function Copyable({ text }: { readonly text: string }): JSX.Element {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center">
      <code title={text} className="truncate text-code text-ink">
        {text}
      </code>
      <CopyIcon text={text} />
    </span>
  );
}

/** What can be done with a deployment as it is now: the likeliest as a button, the rest in a menu. */
export function HeaderActions({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const mayChange = useMayChange();
  const commands = useDeploymentCommands();
  return (
    <>
      {mayChange && <LikelyActions deployment={deployment} resume={commands.resume} />}
      <MoreMenu deployment={deployment} ask={commands.ask} />
      {commands.dialog}
    </>
  );
}

interface LikelyActionsProps {
  readonly deployment: DeploymentView;
  readonly resume: DeploymentCommands['resume'];
}

function LikelyActions({ deployment, resume }: LikelyActionsProps): JSX.Element {
  const { slug: account } = useAccount();
  const [first] = actionsOf(deployment);
  return (
    <>
      <Link
        to="/$account/playground"
        params={{ account }}
        search={{ deployment: slugOf(deployment) }}
        className={buttonClass(first === 'stop' ? 'main' : 'plain')}
      >
        <Icon name="chat" className="-ml-0.5 size-4" />
        Playground
      </Link>
      <AgainButton deployment={deployment} resume={resume} />
      <RollBackButton deployment={deployment} />
    </>
  );
}

/** Starts what is stopped, or tries what failed at once. */
function AgainButton({ deployment, resume }: LikelyActionsProps): JSX.Element | null {
  const [busy, setBusy] = useState(false);
  const can = actionsOf(deployment);
  const isStopped = can.includes('resume');
  if (!isStopped && !can.includes('retry')) return null;
  const again = (): void => {
    setBusy(true);
    void resume([deployment]).finally(() => setBusy(false));
  };
  return (
    <Button look="main" icon={isStopped ? 'play' : 'refresh'} busy={busy} onClick={again}>
      {isStopped ? 'Resume' : 'Try again'}
    </Button>
  );
}

function RollBackButton({ deployment }: Pick<LikelyActionsProps, 'deployment'>): JSX.Element | null {
  const [asking, setAsking] = useState(false);
  const can = actionsOf(deployment);
  const back = rollbackRev(deployment);
  if (back === null || !can.includes('roll_back')) return null;
  return (
    <>
      <Button icon="undo" look={can[0] === 'roll_back' ? 'main' : 'plain'} onClick={() => setAsking(true)}>
        Roll back to revision {back}
      </Button>
      {asking && <RollBackDialog deployment={deployment} rev={back} onClose={() => setAsking(false)} />}
    </>
  );
}

interface MoreMenuProps {
  readonly deployment: DeploymentView;
  readonly ask: DeploymentCommands['ask'];
}

function MoreMenu({ deployment, ask }: MoreMenuProps): JSX.Element {
  const { slug: account } = useAccount();
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const can = actionsOf(deployment);
  const toList = (): void => void navigate({ to: '/$account/deployments', params: { account } });
  const looks: MenuEntry[] = [
    {
      label: 'View usage',
      icon: 'chart',
      onSelect: () => void navigate({ to: '/$account/usage', params: { account }, search: { deployment: String(deployment.id) } as never }),
    },
  ];
  const changes: MenuEntry[] = [
    {
      label: 'Create another like this',
      icon: 'plus',
      onSelect: () => void navigate({ to: '/$account/deployments/create', params: { account }, search: { like: String(deployment.id) } }),
    },
    { label: 'Stop', icon: 'stop', disabled: !can.includes('stop'), onSelect: () => ask({ command: 'stop', deployments: [deployment] }) },
    {
      label: 'Delete',
      icon: 'delete',
      danger: true,
      disabled: !can.includes('delete'),
      onSelect: () => ask({ command: 'delete', deployments: [deployment], onDone: toList }),
    },
  ];
  const groups: MenuGroup[] = [{ entries: looks }, ...(mayChange ? [{ entries: changes }] : [])];
  return (
    <Menu
      label="More actions"
      trigger={<Icon name="more" className="size-4" />}
      triggerClass={`${buttonClass('plain')} min-w-8 px-0! pointer-coarse:min-w-11`}
      entries={groups}
    />
  );
}
