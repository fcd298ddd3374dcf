import type { DeploymentView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { NOTE_MAX } from './deployment-draft.js';
import { DeploymentImpact } from './deployment-impact.js';

export interface RollBackDialogProps {
  readonly deployment: Pick<DeploymentView, 'id' | 'name' | 'rev'>;
  /** Revision whose settings come back. */
  readonly rev: number;
  readonly onClose: () => void;
}

/** Asks before the settings of an older revision become the newest ones. */
export function RollBackDialog({ deployment, rev, onClose }: RollBackDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { note: '' } });
  const update = useChange('deployments/update', ['deployments/']);
  const submit = async ({ note }: { readonly note: string }): Promise<void> => {
    const request = { deployment: deployment.id, base: rev, expected_rev: deployment.rev };
    const { rev: made } = await update.mutateAsync({ ...request, ...(note.trim() !== '' && { note: note.trim() }) });
    announce(`Revision ${made} has the settings of revision ${rev}.`);
    onClose();
  };
  return (
    <FormDialog title={`Roll back to revision ${rev}`} action="Roll back" {...{ form, submit, onClose }}>
      <p>
        Makes a new revision with the settings of revision {rev}. The revision that serves now continues until the new one is ready; running
        requests end where they are.
      </p>
      <p className="text-sm font-medium">
        <DeploymentImpact ids={[deployment.id]} />
      </p>
      <TextField label="Note (optional)" maxLength={NOTE_MAX} autoComplete="off" placeholder="Why" {...fieldOf(form, 'note')} />
    </FormDialog>
  );
}
