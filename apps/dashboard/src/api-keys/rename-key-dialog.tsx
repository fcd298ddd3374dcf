import type { KeyView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';

export function RenameKeyDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState(subject.name);
  const rename = useChange('keys/rename', ['keys/']);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    rename.mutate({ key: subject.id, name: name.trim() }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Rename key" onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          fault={rename.isError ? messageOf(rename.error) : null}
          onChange={(event) => setName(event.target.value)}
        />
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={rename.isPending}>
            Rename
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
