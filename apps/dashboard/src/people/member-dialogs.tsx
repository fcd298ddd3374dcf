import type { MemberView } from '@slipway/contracts';
import type { JSX } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { FormDialog } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import { RadioCards } from '../ui/radio-cards.js';
import { calledOf, ROLE_CARDS, roleLabel } from './roles.js';

interface MemberDialogProps {
  readonly member: MemberView;
  readonly isMe: boolean;
  readonly onClose: () => void;
}

/** Changes what a member may do, at once. */
export function RoleDialog({ member, isMe, onClose }: MemberDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { role: member.role } });
  const change = useChange('members/set-role', ['members']);
  const role = useWatch({ control: form.control, name: 'role' });
  const submit = async (): Promise<void> => {
    await change.mutateAsync({ user: member.user, role });
    announce(`${calledOf(member)}: role changed from ${roleLabel(member.role)} to ${roleLabel(role)}.`);
    onClose();
  };
  return (
    <FormDialog
      title={`Change role of ${calledOf(member)}`}
      action="Change role"
      disabled={role === member.role}
      {...{ form, submit, onClose }}
    >
      <Controller
        control={form.control}
        name="role"
        render={({ field }) => <RadioCards label="Role" cards={ROLE_CARDS} value={field.value} onChange={field.onChange} />}
      />
      {isMe && role !== 'owner' && member.role === 'owner' && <Notice look="warn">You will no longer be able to manage members.</Notice>}
    </FormDialog>
  );
}

/** Removes a member from the account. */
export function RemoveMemberDialog({ member, isMe, onClose }: MemberDialogProps): JSX.Element {
  const remove = useChange('members/remove', ['members']);
  return (
    <ConfirmDialog
      title={`Remove ${calledOf(member)}`}
      action="Remove member"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync({ user: member.user });
        announce(`${calledOf(member)} was removed.`);
        onClose();
      }}
    >
      <p>
        {isMe ? 'You lose' : `${member.email} loses`} access to this account immediately. API keys stay active, including those that{' '}
        {isMe ? 'you' : 'they'} created.
      </p>
    </ConfirmDialog>
  );
}
