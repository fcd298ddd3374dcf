import { type JSX, type ReactNode, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useEveryKey } from '../api/lists.js';
import { useAddresses, useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { Icon } from '../ui/icon.js';
import { Notice } from '../ui/notice.js';
import { AccessFields, LimitFields, type LimitValues } from './access-fields.js';
import { ExpiryFields, type ExpiryValues } from './expiry-fields.js';
import { limitsOf, textsOf } from './key-limits.js';
import { expiryOf, twinOf } from './key-state.js';
import { reachOf } from './reach.js';

interface Values extends ExpiryValues, LimitValues {
  name: string;
  /** Numbers of deployments; null = all. */
  deployments: readonly number[] | null;
}

export interface CreateKeyDialogProps {
  readonly onClose: () => void;
  /** @param deployments what the key opens; null = all */
  readonly onCreated: (name: string, value: string, deployments: readonly number[] | null) => void;
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps): JSX.Element {
  const environment = useAddresses()?.environment;
  const form = useForm<Values>({ defaultValues: { name: '', choice: '90', day: '', deployments: null, limits: textsOf(undefined) } });
  const create = useChange('keys/create', ['keys/']);
  const [deployments, name] = useWatch({ control: form.control, name: ['deployments', 'name'] });
  const submit = async ({ name: given, choice, day, limits }: Values): Promise<void> => {
    const expiresAt = expiryOf(choice, day, Date.now());
    const { value, propagated } = await create.mutateAsync({
      name: given.trim(),
      limits: limitsOf(limits),
      ...(expiresAt !== null && { expires_at: expiresAt }),
      ...(deployments !== null && { deployments: [...deployments] }),
    });
    if (propagated === false) announce(reachOf({ propagated }, 'The key works.'));
    onCreated(given.trim(), value, deployments);
  };
  const props = { form, submit, onClose, disabled: deployments?.length === 0 };
  return (
    <FormDialog title="Create API key" action="Create key" {...props}>
      <TextField
        label="Name"
        hint="What uses it, such as “Website, production”."
        maxLength={100}
        autoComplete="off"
        {...fieldOf(form, 'name', { validate: (text) => text.trim() !== '' || 'Enter a name.' })}
      />
      <SameName name={name} />
      <ExpiryFields />
      <AccessFields deployments={deployments} onDeployments={(ids) => form.setValue('deployments', ids)} />
      <Optional title="Limits" isOpen={form.formState.errors.limits !== undefined}>
        <LimitFields />
      </Optional>
      <p className="text-sm text-muted">
        The key works in the environment <code>{environment ?? '…'}</code> alone.
      </p>
    </FormDialog>
  );
}

/** Fields that few people need, behind their heading. @param isOpen something in them is wrong */
function Optional({
  title,
  isOpen,
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}): JSX.Element {
  const [wanted, setWanted] = useState(false);
  const open = wanted || isOpen;
  return (
    <div className="grid gap-3 rounded-lg border border-line p-3">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setWanted(!open)}
        className="flex min-h-6 items-center gap-1.5 rounded-sm text-left text-sm font-medium pointer-coarse:min-h-11"
      >
        <Icon name={open ? 'down' : 'next'} className="size-4 text-muted" />
        {title}
        <span className="font-normal text-muted">Optional</span>
      </button>
      {open && children}
    </div>
  );
}

/** Warns that another key has this name. @param except the key that is renamed */
export function SameName({ name, except }: { readonly name: string; readonly except?: number }): JSX.Element | null {
  const twin = twinOf(useEveryKey().data ?? [], name, except);
  if (!twin) return null;
  return (
    <Notice look="warn">
      The key <code>{twin.hint}…</code> has this name too. Commands that name a key will need its number.
    </Notice>
  );
}
