import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';

export function RenameKeyDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const form = useForm({ defaultValues: { name: subject.name } });
  const rename = useChange('keys/rename', ['keys/']);
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
        required
        {...fieldOf(form, 'name', { required: 'Give the key a name.' })}
      />
    </FormDialog>
  );
}
