import type { DeploymentView } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { slugOf } from './inference-target.js';

interface DeleteDeploymentDialogProps {
  readonly deployment: DeploymentView;
  readonly onClose: () => void;
}

/** Deletes for good, once its slug was typed. */
export function DeleteDeploymentDialog({ deployment, onClose }: DeleteDeploymentDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { typed: '' } });
  const navigate = useNavigate();
  const { slug: account } = useAccount();
  const remove = useChange('deployments/delete', ['deployments/list', 'aliases/']);
  const slug = slugOf(deployment);
  const { aliases, name } = deployment;
  const submit = async (): Promise<void> => {
    await remove.mutateAsync({ deployment: deployment.id });
    announce(`“${name}” is deleted.`);
    await navigate({ to: '/$account/deployments', params: { account } });
  };
  const props = { form, submit, onClose, disabled: useWatch({ control: form.control, name: 'typed' }).trim() !== slug };
  return (
    <FormDialog title={`Delete “${name}”`} action="Delete deployment" look="danger" {...props}>
      <p>
        Requests to it get 404
        {aliases.length > 0 ? `, also those to its ${aliases.length === 1 ? 'alias' : 'aliases'} ${aliases.join(', ')}` : ''}. This cannot
        be undone. Its usage stays in the records.
      </p>
      <TextField label={`Type ${slug} to delete it`} autoComplete="off" spellCheck={false} {...fieldOf(form, 'typed')} />
    </FormDialog>
  );
}
