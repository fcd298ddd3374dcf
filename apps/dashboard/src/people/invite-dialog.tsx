import type { MemberRole } from '@slipway/contracts';
import type { JSX } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { RadioCards } from '../ui/radio-cards.js';
import { InvitationLink } from './invitation-link.js';
import { ROLE_CARDS } from './roles.js';

/** Creates an invitation and shows its link, once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const form = useForm<{ email: string; role: MemberRole }>({ defaultValues: { email: '', role: 'member' } });
  const invite = useChange('invitations/create', ['invitations']);
  if (invite.data) {
    const title = `Invitation for ${form.getValues('email').trim()}`;
    return <InvitationLink title={title} token={invite.data.token} expiresAt={invite.data.expires_at} onDone={onClose} />;
  }
  const props = { form, submit: invite.mutateAsync, onClose };
  return (
    <FormDialog title="Invite a person" action="Create invitation" {...props}>
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        required
        {...fieldOf(form, 'email', { required: 'Enter an email address.' })}
      />
      <Controller
        control={form.control}
        name="role"
        render={({ field }) => <RadioCards label="Role" cards={ROLE_CARDS} value={field.value} onChange={field.onChange} />}
      />
    </FormDialog>
  );
}
