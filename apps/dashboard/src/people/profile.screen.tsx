import type { ConsoleReply } from '@slipway/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { messageOf } from '../api/console-error.js';
import { type Me, me as askMe, useCall, useChange } from '../api/use-call.js';
import { session } from '../session/session.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { fieldOf, Form, without } from '../ui/form.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Page, Panel } from '../ui/page.js';
import { PasswordField } from '../ui/password-field.js';
import { Table } from '../ui/table.js';
import { faultOfPassword, PASSWORD_HINT } from './new-password.js';
import { clientName } from './client-name.js';
import { roleLabel } from './roles.js';

export function ProfileScreen(): JSX.Element {
  const me = useQuery({ queryKey: ['me'], queryFn: askMe });
  return (
    <Page title="Your profile">
      <Loaded query={me} what="Your profile" rows={4}>
        {(data) => (
          <>
            <Panel title="You">
              <dl className="grid gap-x-6 gap-y-1 sm:grid-cols-[auto_1fr]">
                <dt className="text-muted">Email</dt>
                <dd className="break-all">{data.email}</dd>
                <dt className="text-muted">Name</dt>
                <dd>{data.name || 'None'}</dd>
                <dt className="text-muted">Accounts</dt>
                <dd>{data.memberships.map(({ slug, role }) => `${slug} (${roleLabel(role)})`).join(', ')}</dd>
              </dl>
            </Panel>
            {data.has_password ? (
              <PasswordPanel email={data.email} />
            ) : (
              <Notice look="info">You sign in by your organisation; there is no password here.</Notice>
            )}
            <SessionsPanel me={data} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function PasswordPanel({ email }: { readonly email: string }): JSX.Element {
  const form = useForm({ defaultValues: { current: '', next: '' } });
  const submit = async (body: { readonly current: string; readonly next: string }): Promise<void> => {
    await session.ask('/api/password', { body });
    form.reset();
    announce('The password is changed. Your other sessions are over.');
  };
  const button = (
    <div>
      <Button type="submit" busy={form.formState.isSubmitting}>
        Change password
      </Button>
    </div>
  );
  return (
    <Panel title="Password">
      <Form form={form} submit={submit} buttons={button} className="max-w-md">
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <PasswordField label="Current password" {...fieldOf(form, 'current', { required: 'Give your current password.' })} />
        <PasswordField label="New password" isNew hint={PASSWORD_HINT} {...fieldOf(form, 'next', { validate: without(faultOfPassword) })} />
      </Form>
    </Panel>
  );
}

function SessionsPanel({ me }: { readonly me: Me }): JSX.Element {
  const list = useCall('sessions/list', {});
  const end = useChange('sessions/end', ['sessions']);
  const endIt = (id: string): void =>
    end.mutate(
      { session: id },
      { onSuccess: () => announce('The session is ended.'), onError: (error) => announce(messageOf(error), 'bad') },
    );
  const everywhere = useMutation({
    mutationFn: () => session.ask('/api/sign-out-everywhere', { body: {} }),
    onSuccess: () => session.forget(false),
    onError: (error) => announce(messageOf(error), 'bad'),
  });
  const endButton = ({ id, client: agent }: ConsoleReply<'sessions/list'>['sessions'][number]): JSX.Element | string =>
    id === me.session ? (
      'This one'
    ) : (
      <Button
        aria-label={`End the session in ${clientName(agent)}`}
        busy={end.isPending && end.variables.session === id}
        onClick={() => endIt(id)}
      >
        End
      </Button>
    );
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-semibold">Where you are signed in</h2>
        <Button busy={everywhere.isPending} onClick={() => everywhere.mutate()}>
          Sign out everywhere
        </Button>
      </div>
      <Loaded query={list} what="Sessions" rows={2}>
        {({ sessions }) => (
          <Table
            caption="Sessions"
            rows={sessions}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Browser', cell: ({ client: agent }) => <span title={agent ?? undefined}>{clientName(agent)}</span> },
              { title: 'Address', cell: ({ address }) => address ?? '–' },
              { title: 'Began', cell: ({ created_at: at }) => <Moment at={at} /> },
              { title: 'Last used', cell: ({ last_used_at: at }) => <Moment at={at} /> },
              { title: '', cell: (one) => <div className="flex justify-end text-muted">{endButton(one)}</div> },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}
