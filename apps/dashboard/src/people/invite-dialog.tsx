import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { formatUtc } from '../format/time.js';
import { Button } from '../ui/button.js';
import { CodeBlock } from '../ui/code-block.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { SelectField, TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { ROLES, roleOf } from './roles.js';

/** Makes an invitation and shows its link, once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState(roleOf('member'));
  const invite = useChange('invitations/create', ['invitations']);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    invite.mutate({ email, role });
  };
  if (invite.data) {
    return (
      <Dialog title={`Invitation for ${email.trim()}`}>
        <Notice look="warn">
          Send this link to them yourself. It is shown only once, opens once, and ends {formatUtc(invite.data.expires_at)}.
        </Notice>
        <CodeBlock label="Link" text={`${location.origin}/join#${invite.data.token}`} />
        <DialogButtons>
          <Button look="main" onClick={onClose}>
            Done
          </Button>
        </DialogButtons>
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label="Role"
          choices={ROLES.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }))}
          value={role}
          onChange={(event) => setRole(roleOf(event.target.value))}
        />
        {invite.isError && <Notice look="bad">{messageOf(invite.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={invite.isPending}>
            Create invitation
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
