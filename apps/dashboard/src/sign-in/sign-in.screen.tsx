import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type JSX, type SyntheticEvent, useState } from 'react';
import { codeOf, messageOf } from '../api/console-error.js';
import { send } from '../api/send.js';
import { accountIn, innerPath } from '../session/inner-path.js';
import { session, type SessionAnswer } from '../session/session.js';
import { Button } from '../ui/button.js';
import { EmailField } from '../ui/email-field.js';
import { Notice } from '../ui/notice.js';
import { PasswordField } from '../ui/password-field.js';
import { Door } from './door.js';
import { ProviderButton } from './provider-button.js';
import { whyNotSignedIn } from './sign-in-failures.js';

/** Signs in to the account that the next path names, or where that is not the person's to the first of theirs. */
async function signInAt(next: string, credentials: { email: string; password: string }): Promise<SessionAnswer> {
  const account = accountIn(next);
  if (account === undefined) return send<SessionAnswer>('/api/sign-in', { body: credentials });
  try {
    return await send<SessionAnswer>('/api/sign-in', { body: { ...credentials, account } });
  } catch (error) {
    if (codeOf(error) !== 'not_permitted') throw error;
    return send<SessionAnswer>('/api/sign-in', { body: credentials });
  }
}

export function SignInScreen(): JSX.Element {
  const { next: wanted, failed } = useSearch({ from: '/sign-in' });
  // Checked here, where it is used: the address may hold anything.
  const next = innerPath(wanted);
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => signInAt(next, { email, password }),
    onSuccess: (answer) => {
      session.begin(answer);
      return navigate({ href: next, replace: true });
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <Door title="Sign in">
      {failed !== undefined && !signIn.isError && <Notice look="warn">{whyNotSignedIn(failed)}</Notice>}
      <form className="grid gap-4" onSubmit={submit}>
        <EmailField value={email} onValue={setEmail} />
        <PasswordField label="Password" value={password} onValue={setPassword} />
        {signIn.isError && <Notice look="bad">{messageOf(signIn.error)}</Notice>}
        <Button type="submit" look="main" busy={signIn.isPending}>
          Sign in
        </Button>
      </form>
      <ProviderButton next={next} />
      <p className="text-sm text-muted">
        No password yet? Ask an owner of your account for an invitation. Lost it? The operator can give you another.
      </p>
    </Door>
  );
}
