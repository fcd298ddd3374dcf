import type { DeploymentView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { Panel } from '../ui/page.js';
import { faultOfNumber, RANGES } from './deployment-draft.js';

export function NamePanel({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const [name, setName] = useState(deployment.name);
  const update = useChange('deployments/update', ['deployments/']);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    update.mutate({ deployment: deployment.id, name: name.trim() }, { onSuccess: () => announce('The name is changed.') });
  };
  return (
    <Panel title="Name">
      <form className="grid gap-3" onSubmit={submit}>
        <TextField
          label="Name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          fault={update.isError ? messageOf(update.error) : null}
          onChange={(event) => setName(event.target.value)}
        />
        <div>
          <Button type="submit" busy={update.isPending} disabled={name.trim() === deployment.name}>
            Rename
          </Button>
        </div>
      </form>
    </Panel>
  );
}

export function ReplicasPanel({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const [replicas, setReplicas] = useState(String(deployment.replicas));
  const scale = useChange('deployments/scale', ['deployments/']);
  const fault = replicas.trim() === '' ? 'Give a number.' : faultOfNumber(replicas, RANGES.replicas);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (fault !== null) return;
    scale.mutate(
      { deployment: deployment.id, replicas: Number(replicas) },
      { onSuccess: ({ replicas: now }) => announce(`It runs on ${now} ${now === 1 ? 'worker' : 'workers'}.`) },
    );
  };
  return (
    <Panel title="Replicas">
      <form className="grid gap-3" onSubmit={submit}>
        <TextField
          label="Workers that it runs on"
          inputMode="numeric"
          hint={`${deployment.ready_replicas} ready now`}
          value={replicas}
          fault={scale.isError ? messageOf(scale.error) : fault}
          onChange={(event) => setReplicas(event.target.value)}
        />
        <div>
          <Button type="submit" busy={scale.isPending} disabled={fault !== null || Number(replicas) === deployment.replicas}>
            Scale
          </Button>
        </div>
      </form>
    </Panel>
  );
}
