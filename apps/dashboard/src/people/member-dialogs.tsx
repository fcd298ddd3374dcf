import type { MemberView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { messageOf } from '../api/console-error.js';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { SelectField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import { ROLE_CHOICES } from './roles.js';

interface MemberDialogProps {
  readonly member: MemberView;
  readonly onClose: () => void;
}

export function RoleDialog({ member, onClose }: MemberDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { role: member.role } });
  const change = useChange('members/set-role', ['members']);
  const submit = async ({ role }: Pick<MemberView, 'role'>): Promise<void> => {
    await change.mutateAsync({ user: member.user, role });
    announce(`${member.email} has another role now.`);
    onClose();
  };
  const props = { form, submit, onClose, disabled: useWatch({ control: form.control, name: 'role' }) === member.role };
  return (
    <FormDialog title={`Role of ${member.email}`} action="Change role" {...props}>
      <SelectField label="Role" choices={ROLE_CHOICES} {...fieldOf(form, 'role')} />
    </FormDialog>
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
