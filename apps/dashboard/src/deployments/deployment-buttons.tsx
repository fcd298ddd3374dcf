import type { DeploymentView } from '@slipway/contracts';
import { type JSX, lazy, Suspense, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { Notice } from '../ui/notice.js';
import { actionsOf, type DeploymentAction, rollbackRev } from './deployment-actions.js';

const DeleteDeploymentDialog = lazy(async () => ({ default: (await import('./delete-deployment-dialog.js')).DeleteDeploymentDialog }));

const failed = (error: Error): void => announce(messageOf(error), 'bad');

/** What may be done with a deployment as it is now. */
export function DeploymentButtons({ deployment }: { readonly deployment: DeploymentView }): JSX.Element | null {
  const mayChange = useMayChange();
  const [asking, setAsking] = useState<'stop' | 'delete' | null>(null);
  const resume = useChange('deployments/resume', ['deployments/']);
  const update = useChange('deployments/update', ['deployments/']);
  const { id, rev } = deployment;
  const back = rollbackRev(deployment);
  if (!mayChange) return null;
  const actions = actionsOf(deployment);
  const again = (): void => resume.mutate({ deployment: id }, { onError: failed });
  const buttons: Readonly<Record<DeploymentAction, JSX.Element>> = {
    resume: (
      <Button key="resume" look="main" busy={resume.isPending} onClick={again}>
        Resume
      </Button>
    ),
    retry: (
      <Button key="retry" look="main" busy={resume.isPending} onClick={again}>
        Try again
      </Button>
    ),
    roll_back: (
      <Button
        key="roll_back"
        look={actions[0] === 'roll_back' ? 'main' : 'plain'}
        busy={update.isPending}
        onClick={() => back !== null && update.mutate({ deployment: id, base: back }, { onError: failed })}
      >
        Go back from revision {rev} to {back}
      </Button>
    ),
    stop: (
      <Button key="stop" onClick={() => setAsking('stop')}>
        Stop
      </Button>
    ),
    delete: (
      <Button key="delete" onClick={() => setAsking('delete')}>
        Delete
      </Button>
    ),
  };
  return (
    <>
      {actions.map((action) => buttons[action])}
      {asking === 'stop' && <StopDialog deployment={deployment} onClose={() => setAsking(null)} />}
      <Suspense>{asking === 'delete' && <DeleteDeploymentDialog deployment={deployment} onClose={() => setAsking(null)} />}</Suspense>
    </>
  );
}

function StopDialog({ deployment, onClose }: { readonly deployment: DeploymentView; readonly onClose: () => void }): JSX.Element {
  const stop = useChange('deployments/stop', ['deployments/']);
  return (
    <Dialog title={`Stop “${deployment.name}”`} onClose={onClose}>
      <p>New requests get 409 at once, until you resume it. Requests that run have a minute to finish. Aliases and settings stay.</p>
      {stop.isError && <Notice look="bad">{messageOf(stop.error)}</Notice>}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={stop.isPending} onClick={() => stop.mutate({ deployment: deployment.id }, { onSuccess: onClose })}>
          Stop deployment
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
