import { type JSX, type SyntheticEvent, useState } from 'react';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { useAddresses } from '../api/use-addresses.js';
import { useChange } from '../api/use-call.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { ExpiryFields } from './expiry-fields.js';
import { type ExpiryChoice, expiryOf, faultOfDays } from './key-state.js';

export interface CreateKeyDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (name: string, value: string) => void;
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps): JSX.Element {
  const environment = useAddresses()?.environment;
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<ExpiryChoice>('90');
  const [days, setDays] = useState('');
  const [tried, setTried] = useState(false);
  const create = useChange('keys/create', ['keys/']);
  const faultyDays = choice === 'custom' ? faultOfDays(days) : null;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (faultyDays !== null) return;
    const expiresAt = expiryOf(choice, days, Date.now());
    create.mutate(
      { name: name.trim(), ...(expiresAt !== null && { expires_at: expiresAt }) },
      { onSuccess: ({ value }) => onCreated(name.trim(), value) },
    );
  };
  const param = create.error instanceof ConsoleError ? create.error.param : null;
  return (
    <Dialog title="Create API key" onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Name"
          hint="What uses it, such as “Website, production”."
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          fault={param === 'name' ? messageOf(create.error) : null}
          onChange={(event) => setName(event.target.value)}
        />
        <ExpiryFields choice={choice} days={days} fault={tried ? faultyDays : null} onChoice={setChoice} onDays={setDays} />
        <p className="text-sm text-muted">
          It opens all deployments of this account, in the environment <code className="font-mono">{environment ?? '…'}</code> only.
        </p>
        {create.isError && param !== 'name' && <Notice look="bad">{messageOf(create.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={create.isPending}>
            Create key
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
