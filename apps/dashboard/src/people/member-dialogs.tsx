import type { MemberView } from '@slipway/contracts';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { SelectField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { ROLES, roleOf } from './roles.js';

interface MemberDialogProps {
  readonly member: MemberView;
  readonly onClose: () => void;
}

export function RoleDialog({ member, onClose }: MemberDialogProps): JSX.Element {
  const [role, setRole] = useState(member.role);
  const change = useChange('members/set-role', ['members']);
  const onSuccess = (): void => {
    announce(`${member.email} has another role now.`);
    onClose();
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    change.mutate({ user: member.user, role }, { onSuccess });
  };
  return (
    <Dialog title={`Role of ${member.email}`} onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit}>
        <SelectField
          label="Role"
          choices={ROLES.map(({ value, label, about }) => ({ value, label: `${label}: ${about}` }))}
          value={role}
          onChange={(event) => setRole(roleOf(event.target.value))}
        />
        {change.isError && <Notice look="bad">{messageOf(change.error)}</Notice>}
        <DialogButtons>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" busy={change.isPending} disabled={role === member.role}>
            Change role
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

export function RemoveMemberDialog({ member, onClose }: MemberDialogProps): JSX.Element {
  const remove = useChange('members/remove', ['members']);
  const onSuccess = (): void => {
    announce(`${member.email} is removed.`);
    onClose();
  };
  return (
    <Dialog title={`Remove ${member.email}`} onClose={onClose}>
      <p>They are signed out of this account at once. API keys stay, also those that they created: revoke what they know.</p>
      {remove.isError && <Notice look="bad">{messageOf(remove.error)}</Notice>}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate({ user: member.user }, { onSuccess })}>
          Remove
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
