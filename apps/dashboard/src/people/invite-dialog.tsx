import type { MemberRole } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { formatUtc } from '../format/time.js';
import { Button } from '../ui/button.js';
import { CodeBlock } from '../ui/code-block.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { SelectField, TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import { ROLE_CHOICES } from './roles.js';

/** Makes an invitation and shows its link, once. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const form = useForm<{ email: string; role: MemberRole }>({ defaultValues: { email: '', role: 'member' } });
  const invite = useChange('invitations/create', ['invitations']);
  if (invite.data) {
    return (
      <Dialog title={`Invitation for ${form.getValues('email').trim()}`}>
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
  const props = { form, submit: invite.mutateAsync, onClose };
  return (
    <FormDialog title="Invite somebody" action="Create invitation" {...props}>
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        required
        {...fieldOf(form, 'email', { required: 'Give an email address.' })}
      />
      <SelectField label="Role" choices={ROLE_CHOICES} {...fieldOf(form, 'role')} />
    </FormDialog>
  );
}
