import type { KeyView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { Notice } from '../ui/notice.js';
import { announce } from '../ui/announcements.js';
import { ExpiryFields } from './expiry-fields.js';
import { type ExpiryChoice, expiryOf, faultOfDays } from './key-state.js';
import { KeyUseLine } from './key-use-line.js';
import { reachOf } from './reach.js';

export interface RotateKeyDialogProps {
  readonly subject: KeyView;
  readonly onClose: () => void;
  readonly onRotated: (value: string) => void;
}

export function RotateKeyDialog({ subject, onClose, onRotated }: RotateKeyDialogProps): JSX.Element {
  const isOver = subject.state === 'expired';
  const [choice, setChoice] = useState<ExpiryChoice>('90');
  const [days, setDays] = useState('');
  const [tried, setTried] = useState(false);
  const rotate = useChange('keys/rotate', ['keys/']);
  const fault = isOver && choice === 'custom' ? faultOfDays(days) : null;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (fault !== null) return;
    const expiry = isOver ? { expires_at: expiryOf(choice, days, Date.now()) } : {};
    rotate.mutate(
      { key: subject.id, ...expiry },
      {
        onSuccess: (reply) => {
          announce(reachOf(reply, 'The old value stopped working.'));
          onRotated(reply.value);
        },
      },
    );
  };
  return (
    <Dialog title={`Rotate “${subject.name}”`} onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit}>
        <p>The current value stops working at once. Applications that use it get 401 until you replace it.</p>
        <KeyUseLine subject={subject} />
        <p className="text-sm text-muted">
          For a change without interruption create a second key, switch your applications to it, then revoke this one.
        </p>
        {isOver && <ExpiryFields choice={choice} days={days} fault={tried ? fault : null} onChoice={setChoice} onDays={setDays} />}
        {rotate.isError && <Notice look="bad">{messageOf(rotate.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={rotate.isPending}>
            Rotate key
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
