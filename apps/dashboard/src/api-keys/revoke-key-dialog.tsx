import type { KeyView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { useNow } from '../ui/use-now.js';
import { isInUse } from './key-state.js';
import { KeyUseLine } from './key-use-line.js';
import { reachOf } from './reach.js';

export function RevokeKeyDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const now = useNow();
  const [typed, setTyped] = useState('');
  const revoke = useChange('keys/revoke', ['keys/']);
  const mustType = isInUse(subject, now);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    revoke.mutate(
      { key: subject.id },
      {
        onSuccess: (reply) => {
          announce(reachOf(reply, `“${subject.name}” is revoked.`));
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title={`Revoke “${subject.name}”`} onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit}>
        <p>Requests with this key get 401, and answers that are under way end with an error. This cannot be undone.</p>
        <KeyUseLine subject={subject} />
        {mustType && (
          <TextField
            label={`Type the name of the key to revoke it: ${subject.name}`}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        {revoke.isError && <Notice look="bad">{messageOf(revoke.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={revoke.isPending} disabled={mustType && typed.trim() !== subject.name.trim()}>
            Revoke key
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
