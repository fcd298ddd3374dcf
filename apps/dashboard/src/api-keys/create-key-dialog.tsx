import { type JSX, type SyntheticEvent, useState } from 'react';
import { ConsoleError, messageOf } from '../api/console-error.js';
import { useAddresses, useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { AccessFields, LimitFields } from './access-fields.js';
import { ExpiryFields } from './expiry-fields.js';
import { faultOfLimit, limitsOf, textsOf } from './key-limits.js';
import { type ExpiryChoice, expiryOf, faultOfDays } from './key-state.js';
import { reachOf } from './reach.js';

export interface CreateKeyDialogProps {
  readonly onClose: () => void;
  readonly onCreated: (name: string, value: string) => void;
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps): JSX.Element {
  const environment = useAddresses()?.environment;
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<ExpiryChoice>('90');
  const [days, setDays] = useState('');
  const [deployments, setDeployments] = useState<readonly number[] | null>(null);
  const [texts, setTexts] = useState(() => textsOf(undefined));
  const [tried, setTried] = useState(false);
  const create = useChange('keys/create', ['keys/']);
  const faultyDays = choice === 'custom' ? faultOfDays(days) : null;
  const isFaulty = deployments?.length === 0 || Object.values(texts).some((text) => faultOfLimit(text) !== null);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (faultyDays !== null || isFaulty) return;
    const expiresAt = expiryOf(choice, days, Date.now());
    create.mutate(
      {
        name: name.trim(),
        limits: limitsOf(texts),
        ...(expiresAt !== null && { expires_at: expiresAt }),
        ...(deployments !== null && { deployments: [...deployments] }),
      },
      {
        onSuccess: ({ value, propagated }) => {
          if (propagated === false) announce(reachOf({ propagated }, 'The key works.'));
          onCreated(name.trim(), value);
        },
      },
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
        <AccessFields deployments={deployments} onDeployments={setDeployments} />
        <details className="rounded-md border border-line p-3">
          <summary className="text-sm font-medium">Limits</summary>
          <div className="pt-3">
            <LimitFields texts={texts} onTexts={setTexts} />
          </div>
        </details>
        <p className="text-sm text-muted">
          Environment: <code className="font-mono">{environment ?? '…'}</code>. The key opens nothing in another one.
        </p>
        {create.isError && param !== 'name' && <Notice look="bad">{messageOf(create.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={create.isPending} disabled={isFaulty}>
            Create key
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
