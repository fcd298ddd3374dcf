import type { ConsoleSetup } from '@slipway/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { codeOf } from '../api/console-error.js';
import { send } from '../api/send.js';
import { accountIn, innerPath } from '../session/inner-path.js';
import { session, type SessionAnswer } from '../session/session.js';
import { Button } from '../ui/button.js';
import { CopyField } from '../ui/copy-field.js';
import { EmailField } from '../ui/email-field.js';
import { fieldOf, Form } from '../ui/form.js';
import { Icon } from '../ui/icon.js';
import { Notice } from '../ui/notice.js';
import { PasswordField } from '../ui/password-field.js';
import { Door } from './door.js';
import { ProviderButton } from './provider-button.js';

const REASONS: Readonly<Record<string, string>> = {
  session_ended: 'Your session has ended. Sign in again to continue where you left off.',
  invitation_not_found: 'This invitation has been used, has expired or was revoked. Ask for a new one.',
  not_permitted: 'No member here uses that account of your organisation. Open your invitation first and accept it with that account.',
  invalid_credentials: 'Your organisation did not confirm who you are. Try again.',
  rate_limit_exceeded: 'Too many attempts. Wait a minute and try again.',
  auth_unavailable: 'Your organisation’s sign-in cannot be reached. Try again soon.',
  unavailable: 'Sign-in is not possible right now. Try again soon.',
};

/** Why somebody was sent to the sign-in, by the code that came with them. */
const whyNotSignedIn = (code: string): string => REASONS[code] ?? 'You were not signed in. Try again.';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Signs in to the account that the next path names, or where that is not the person's to the first of theirs. */
async function signInAt(next: string, credentials: Credentials): Promise<SessionAnswer> {
  const account = accountIn(next);
  if (account === undefined) return send<SessionAnswer>('/api/sign-in', { body: credentials });
  try {
    return await send<SessionAnswer>('/api/sign-in', { body: { ...credentials, account } });
  } catch (error) {
    if (codeOf(error) !== 'not_permitted') throw error;
    return send<SessionAnswer>('/api/sign-in', { body: credentials });
  }
}

/** How often it is asked whether the first owner exists, in milliseconds. */
const SETUP_EVERY_MS = 5_000;

/** Signs in; before anyone can, says how the first owner is created. */
export function SignInScreen(): JSX.Element {
  const setup = useQuery({
    queryKey: ['set-up'],
    queryFn: () => send<ConsoleSetup>('/api/set-up', { method: 'GET' }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.has_owner === false ? SETUP_EVERY_MS : false),
  });
  return setup.data?.has_owner === false ? <NoOwnerYet /> : <SignInForm />;
}

function NoOwnerYet(): JSX.Element {
  return (
    <Door title="No owner yet">
      <p className="text-muted">
        Slipway is running and waits for its first owner. Open the link that <code>npm start</code> printed, or create a new one on the
        server:
      </p>
      <CopyField label="Create a set-up link" value="npx slipway users set-up" />
      <p role="status" className="flex items-center gap-2 text-sm text-muted">
        <Icon name="spinner" className="size-4 animate-spin" />
        This page continues once the link was used.
      </p>
    </Door>
  );
}

function SignInForm(): JSX.Element {
  const { next: wanted, failed } = useSearch({ from: '/sign-in' });
  // The address may hold anything, so it is checked where it is used.
  const next = innerPath(wanted);
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { email: '', password: '' } });
  const submit = async (credentials: Credentials): Promise<void> => {
    session.begin(await signInAt(next, credentials));
    await navigate({ href: next, replace: true });
  };
  const { isSubmitting, errors } = form.formState;
  const button = (
    <Button type="submit" look="main" busy={isSubmitting}>
      Sign in
    </Button>
  );
  return (
    <Door title="Sign in">
      {failed !== undefined && !errors.root && <Notice look="warn">{whyNotSignedIn(failed)}</Notice>}
      <Form isAlone form={form} submit={submit} buttons={button}>
        <EmailField {...fieldOf(form, 'email', { required: 'Enter your email address.' })} />
        <PasswordField label="Password" {...fieldOf(form, 'password', { required: 'Enter your password.' })} />
      </Form>
      <ProviderButton next={next} />
      <p className="text-sm text-muted">
        No password yet? Ask an owner of your account for an invitation. Forgot it? The operator can give you a new one.
      </p>
    </Door>
  );
}
