import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { useNow } from '../ui/use-now.js';
import { isInUse } from './key-state.js';
import { KeyUseLine } from './key-use-line.js';
import { reachOf } from './reach.js';

export function RevokeKeyDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const form = useForm({ defaultValues: { typed: '' } });
  const revoke = useChange('keys/revoke', ['keys/']);
  const typed = useWatch({ control: form.control, name: 'typed' });
  const mustType = isInUse(subject, useNow());
  const submit = async (): Promise<void> => {
    announce(reachOf(await revoke.mutateAsync({ key: subject.id }), `“${subject.name}” is revoked.`));
    onClose();
  };
  return (
    <FormDialog
      title={`Revoke “${subject.name}”`}
      action="Revoke key"
      look="danger"
      disabled={mustType && typed.trim() !== subject.name.trim()}
      {...{ form, submit, onClose }}
    >
      <p>Requests with this key get 401, and answers that are under way end with an error. This cannot be undone.</p>
      <KeyUseLine subject={subject} />
      {mustType && (
        <TextField label={`Type the name of the key to revoke it: ${subject.name}`} autoComplete="off" {...fieldOf(form, 'typed')} />
      )}
    </FormDialog>
  );
}
