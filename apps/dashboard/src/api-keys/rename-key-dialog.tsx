import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { SameName } from './same-name.js';

export function RenameKeyDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const form = useForm({ defaultValues: { name: subject.name } });
  const rename = useChange('keys/rename', ['keys/', 'audit/']);
  const typed = useWatch({ control: form.control, name: 'name' });
  const submit = async ({ name }: { readonly name: string }): Promise<void> => {
    await rename.mutateAsync({ key: subject.id, name: name.trim() });
    onClose();
  };
  return (
    <FormDialog title="Rename key" action="Rename" form={form} submit={submit} onClose={onClose}>
      <TextField
        label="Name"
        maxLength={100}
        autoComplete="off"
        {...fieldOf(form, 'name', { validate: (text) => text.trim() !== '' || 'Enter a name.' })}
      />
      <SameName name={typed} except={subject.id} />
    </FormDialog>
  );
}
