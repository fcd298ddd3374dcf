import type { DeploymentView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { fieldOf, Form, without } from '../ui/form.js';
import { Panel } from '../ui/page.js';
import { faultOfNumber, RANGES } from './deployment-draft.js';

/** Props of a button under a panel's form. */
const buttonOf = (busy: boolean, disabled: boolean) => ({ type: 'submit', busy, disabled }) as const;

export function NamePanel({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const form = useForm({ defaultValues: { name: deployment.name } });
  const update = useChange('deployments/update', ['deployments/']);
  const submit = async ({ name }: { readonly name: string }): Promise<void> => {
    await update.mutateAsync({ deployment: deployment.id, name: name.trim() });
    announce('The name is changed.');
  };
  const isSame = useWatch({ control: form.control, name: 'name' }).trim() === deployment.name;
  const button = (
    <div>
      <Button {...buttonOf(form.formState.isSubmitting, isSame)}>Rename</Button>
    </div>
  );
  return (
    <Panel title="Name">
      <Form form={form} submit={submit} buttons={button}>
        <TextField
          label="Name"
          maxLength={100}
          autoComplete="off"
          required
          {...fieldOf(form, 'name', { required: 'Give the deployment a name.' })}
        />
      </Form>
    </Panel>
  );
}

const faultOfReplicas = (text: string): string | null => (text.trim() === '' ? 'Give a number.' : faultOfNumber(text, RANGES.replicas));

export function ReplicasPanel({ deployment }: { readonly deployment: DeploymentView }): JSX.Element {
  const form = useForm({ defaultValues: { replicas: String(deployment.replicas) }, mode: 'onChange' });
  const scale = useChange('deployments/scale', ['deployments/']);
  const submit = async ({ replicas }: { readonly replicas: string }): Promise<void> => {
    const { replicas: now } = await scale.mutateAsync({ deployment: deployment.id, replicas: Number(replicas) });
    announce(`It runs on ${now} ${now === 1 ? 'worker' : 'workers'}.`);
  };
  const isSame = Number(useWatch({ control: form.control, name: 'replicas' })) === deployment.replicas;
  const button = (
    <div>
      <Button {...buttonOf(form.formState.isSubmitting, isSame)}>Scale</Button>
    </div>
  );
  return (
    <Panel title="Replicas">
      <Form form={form} submit={submit} buttons={button}>
        <TextField
          label="Workers that it runs on"
          inputMode="numeric"
          hint={`${deployment.ready_replicas} ready now`}
          {...fieldOf(form, 'replicas', { validate: without(faultOfReplicas) })}
        />
      </Form>
    </Panel>
  );
}
