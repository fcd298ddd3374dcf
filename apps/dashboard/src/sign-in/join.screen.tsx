import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { codeOf, messageOf } from '../api/console-error.js';
import { send } from '../api/send.js';
import { session, type SessionAnswer } from '../session/session.js';
import { Button } from '../ui/button.js';
import { EmailField } from '../ui/email-field.js';
import { TextField } from '../ui/field.js';
import { fieldOf, Form, without } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import { PasswordField } from '../ui/password-field.js';
import { faultOfPassword, PASSWORD_HINT } from '../people/new-password.js';
import { Door } from './door.js';
import { ProviderButton } from './provider-button.js';

interface Invitation {
  readonly slug: string;
  readonly role: string;
  readonly email: string | null;
}

/** Where invitations and the first owner's link lead. The link's secret stands behind the #, which is never sent. */
export function JoinScreen(): JSX.Element {
  const [token] = useState(() => window.location.hash.slice(1));
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => send<Invitation>('/api/invitations/find', { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (invitation.data) return <Accept token={token} invitation={invitation.data} />;
  if (!invitation.isError) {
    return (
      <Door title="Opening your link">
        <p role="status" className="text-muted">
          One moment…
        </p>
      </Door>
    );
  }
  const dead = ['invitation_not_found', 'invalid_request'].includes(codeOf(invitation.error));
  return (
    <Door title={dead ? 'This link does not work' : 'Not available'}>
      <Notice look="bad">
        {dead ? 'It has been used, has expired, was revoked or is incomplete. Ask for a new one.' : messageOf(invitation.error)}
      </Notice>
      {!dead && <Button onClick={() => void invitation.refetch()}>Try again</Button>}
      <Link to="/sign-in" className="text-sm text-accent underline">
        Go to sign-in
      </Link>
    </Door>
  );
}

function Accept({ token, invitation }: { readonly token: string; readonly invitation: Invitation }): JSX.Element {
  const { slug, email: invited } = invitation;
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { email: invited ?? '', name: '', password: '' } });
  const submit = async ({ email, name, password }: Record<'email' | 'name' | 'password', string>): Promise<void> => {
    const own = { ...(invited === null && { email }), ...(name.trim() !== '' && { name }) };
    session.begin(await send<SessionAnswer>('/api/invitations/accept', { body: { token, password, ...own } }));
    await navigate({ to: '/', replace: true });
  };
  // A person who is invited may have a password here already, of any length: only the console knows.
  const passwordRule = invited === null ? { validate: without(faultOfPassword) } : { required: 'Enter a password.' };
  const button = (
    <Button type="submit" look="main" busy={form.formState.isSubmitting}>
      {invited === null ? 'Set up and sign in' : 'Join and sign in'}
    </Button>
  );
  return (
    <Door title={invited === null ? `Set up “${slug}”` : `Join “${slug}”`}>
      <Introduction invitation={invitation} />
      <Form isAlone form={form} submit={submit} buttons={button}>
        <EmailField readOnly={invited !== null} {...fieldOf(form, 'email', { required: 'Enter your email address.' })} />
        <TextField
          label="Your name"
          autoComplete="name"
          hint="Shown to other members. Optional."
          maxLength={100}
          {...fieldOf(form, 'name')}
        />
        <PasswordField
          label="Password"
          isNew={invited === null}
          hint={invited === null ? PASSWORD_HINT : `Your password if you already have one, otherwise a new one. ${PASSWORD_HINT}`}
          {...fieldOf(form, 'password', passwordRule)}
        />
      </Form>
      {invited !== null && <ProviderButton invitation={token} />}
    </Door>
  );
}

function Introduction({ invitation: { email, role } }: { readonly invitation: Invitation }): JSX.Element {
  const invitedAs = `You are invited as ${role === 'owner' ? 'an owner' : `a ${role}`}.`;
  return <p className="text-muted">{email === null ? 'You will be the first owner of this account. The link works once.' : invitedAs}</p>;
}
