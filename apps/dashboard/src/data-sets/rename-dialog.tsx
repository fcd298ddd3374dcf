import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { nameFault } from './tuning-name.js';

export interface RenameDialogProps {
  /** Such as `data set`. */
  readonly thing: string;
  /** What it is called now. */
  readonly name: string;
  readonly hint: string;
  /** @throws what the server refuses */
  readonly onRename: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for another name of a data set or an adapter. */
export function RenameDialog({ thing, name, hint, onRename, onClose }: RenameDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { name } });
  const submit = async (entered: { readonly name: string }): Promise<void> => {
    await onRename(entered.name.trim());
    onClose();
  };
  return (
    <FormDialog title={`Rename ${thing}`} action="Rename" {...{ form, submit, onClose }}>
      <TextField
        label="Name"
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        hint={hint}
        {...fieldOf(form, 'name', { validate: without((text: string) => nameFault(text.trim())) })}
      />
    </FormDialog>
  );
}
