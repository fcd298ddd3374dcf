import type { DeploymentView } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import type { JSX, ReactNode } from 'react';
import { useAccount } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { actionsOf } from './deployment-actions.js';
import { useDeploymentCommands } from './deployment-commands.js';

/** Stops or deletes a deployment. */
export function DangerZone({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const { ask, dialog } = useDeploymentCommands();
  const can = actionsOf(deployment);
  const toList = (): void => void navigate({ to: '/$account/deployments', params: { account } });
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] rounded-lg border border-bad/40 bg-surface">
      <h2 className="border-b border-line px-4 py-3 font-semibold">Danger zone</h2>
      <Row title="Stop" text="New requests get 409 until it is resumed.">
        <Button icon="stop" disabled={!can.includes('stop')} onClick={() => ask({ command: 'stop', deployments: [deployment] })}>
          Stop…
        </Button>
      </Row>
      <Row
        title="Delete"
        text={can.includes('delete') ? 'Permanent. Its aliases are deleted too.' : 'Only a stopped or failed deployment can be deleted.'}
      >
        <Button
          look="danger"
          icon="delete"
          disabled={!can.includes('delete')}
          onClick={() => ask({ command: 'delete', deployments: [deployment], onDone: toList })}
        >
          Delete…
        </Button>
      </Row>
      {dialog}
    </section>
  );
}

function Row({ title, text, children }: { readonly title: string; readonly text: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-line px-4 py-3 not-last:border-b">
      <div className="min-w-0">
        <p className="text-sm font-medium">{title}</p>
        <p className="text-xs text-muted">{text}</p>
      </div>
      {children}
    </div>
  );
}
