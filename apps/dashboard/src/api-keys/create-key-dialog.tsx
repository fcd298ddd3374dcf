import type { JSX } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useAddresses, useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { AccessFields, LimitFields, type LimitValues } from './access-fields.js';
import { ExpiryFields, type ExpiryValues } from './expiry-fields.js';
import { limitsOf, textsOf } from './key-limits.js';
import { expiryOf } from './key-state.js';
import { reachOf } from './reach.js';

interface Values extends ExpiryValues, LimitValues {
  name: string;
  /** Numbers of deployments; null = all. */
  deployments: readonly number[] | null;
}

export interface CreateKeyDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (name: string, value: string) => void;
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps): JSX.Element {
  const environment = useAddresses()?.environment;
  const form = useForm<Values>({ defaultValues: { name: '', choice: '90', days: '', deployments: null, limits: textsOf(undefined) } });
  const create = useChange('keys/create', ['keys/']);
  const deployments = useWatch({ control: form.control, name: 'deployments' });
  const submit = async ({ name, choice, days, limits }: Values): Promise<void> => {
    const expiresAt = expiryOf(choice, days, Date.now());
    const { value, propagated } = await create.mutateAsync({
      name: name.trim(),
      limits: limitsOf(limits),
      ...(expiresAt !== null && { expires_at: expiresAt }),
      ...(deployments !== null && { deployments: [...deployments] }),
    });
    if (propagated === false) announce(reachOf({ propagated }, 'The key works.'));
    onCreated(name.trim(), value);
  };
  const props = { form, submit, onClose, disabled: deployments?.length === 0 };
  return (
    <FormDialog title="Create API key" action="Create key" {...props}>
      <TextField
        label="Name"
        hint="What uses it, such as “Website, production”."
        maxLength={100}
        autoComplete="off"
        required
        {...fieldOf(form, 'name', { required: 'Give the key a name.' })}
      />
      <ExpiryFields />
      <AccessFields deployments={deployments} onDeployments={(ids) => form.setValue('deployments', ids)} />
      <details className="rounded-md border border-line p-3" open={form.formState.errors.limits !== undefined || undefined}>
        <summary className="text-sm font-medium">Limits</summary>
        <div className="pt-3">
          <LimitFields />
        </div>
      </details>
      <p className="text-sm text-muted">
        Environment: <code className="font-mono">{environment ?? '…'}</code>. The key opens nothing in another one.
      </p>
    </FormDialog>
  );
}
