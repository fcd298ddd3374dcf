import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { type Me, me as askMe, useChange } from '../api/use-call.js';
import { codeOf, messageOf } from '../api/console-error.js';
import { chooseTimeZone, useTimeZone } from '../format/time-zone.js';
import { session } from '../session/session.js';
import { chooseTheme, useTheme } from '../shell/theme.js';
import { announce } from '../ui/announcements.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { fieldOf, Form, without } from '../ui/form.js';
import { KeyValues } from '../ui/key-values.js';
import { Loaded } from '../ui/loaded.js';
import { Moment } from '../ui/moment.js';
import { Notice } from '../ui/notice.js';
import { Page, Panel } from '../ui/page.js';
import { PasswordField } from '../ui/password-field.js';
import { Segments } from '../ui/segments.js';
import { useNow } from '../ui/use-now.js';
import { faultOfPassword, PASSWORD_HINT } from './new-password.js';
import { roleLabel } from './roles.js';
import { SessionsTable } from './sessions-table.js';

/** What belongs to the person who is signed in: name, display, password, sessions. */
export function ProfileScreen(): JSX.Element {
  const me = useQuery({ queryKey: ['me'], queryFn: askMe });
  return (
    <Page title="Your profile">
      <Loaded query={me} what="Your profile" shape="form" rows={4}>
        {(data) => (
          <>
            <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-2">
              <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
                <PersonPanel me={data} />
                <DisplayPanel />
              </div>
              {data.has_password ? (
                <PasswordPanel email={data.email} />
              ) : (
                <Panel title="Password">
                  <Notice look="info">You sign in with your organization’s identity provider; there is no password here.</Notice>
                </Panel>
              )}
            </div>
            <SessionsTable current={data.session} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function PersonPanel({ me: { email, name, memberships } }: { readonly me: Me }): JSX.Element {
  const client = useQueryClient();
  const form = useForm({ defaultValues: { name } });
  const rename = useChange('me/rename', ['me', 'members', 'keys/']);
  const submit = async (values: { readonly name: string }): Promise<void> => {
    const { name: kept } = await rename.mutateAsync(values);
    client.setQueryData<Me>(['me'], (before) => before && { ...before, name: kept });
    form.reset({ name: kept });
    announce('Name saved.');
  };
  const { isSubmitting, isDirty } = form.formState;
  const button = (
    <Button type="submit" className="justify-self-start" busy={isSubmitting} disabled={!isDirty}>
      Save name
    </Button>
  );
  return (
    <Panel title="You">
      <KeyValues
        facts={[
          ['Email', email],
          ['Accounts', memberships.map(({ slug, role }) => `${slug} (${roleLabel(role)})`).join(', ')],
        ]}
      />
      <Form form={form} submit={submit} buttons={button}>
        <TextField
          label="Name"
          autoComplete="name"
          maxLength={100}
          hint="Shown to members beside your email address."
          {...fieldOf(form, 'name')}
        />
      </Form>
    </Panel>
  );
}

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;
const ZONES = [
  { value: 'local', label: 'Local time' },
  { value: 'utc', label: 'UTC' },
] as const;

/** How this browser shows the dashboard; it holds at once. */
function DisplayPanel(): JSX.Element {
  const theme = useTheme();
  const zone = useTimeZone();
  const now = new Date(useNow()).toISOString();
  return (
    <Panel title="Display" about="For this browser.">
      <div className="grid gap-1.5">
        <span aria-hidden="true" className="text-sm font-medium">
          Theme
        </span>
        <Segments label="Theme" choices={THEMES} value={theme} onChange={chooseTheme} />
      </div>
      <div className="grid gap-1.5">
        <span aria-hidden="true" className="text-sm font-medium">
          Time zone
        </span>
        <Segments label="Time zone" choices={ZONES} value={zone} onChange={chooseTimeZone} />
        <p className="text-xs text-muted">
          Now: <Moment at={now} exact />. Exported files are always UTC.
        </p>
      </div>
    </Panel>
  );
}

function PasswordPanel({ email }: { readonly email: string }): JSX.Element {
  const form = useForm({ defaultValues: { current: '', next: '' } });
  const submit = async (body: { readonly current: string; readonly next: string }): Promise<void> => {
    try {
      await session.ask('/api/password', { body });
    } catch (error) {
      if (codeOf(error) !== 'invalid_credentials') throw error;
      return form.setError('current', { message: messageOf(error) }, { shouldFocus: true });
    }
    form.reset();
    announce('Password changed. Your other sessions were signed out.');
  };
  const button = (
    <Button type="submit" className="justify-self-start" busy={form.formState.isSubmitting}>
      Change password
    </Button>
  );
  return (
    <Panel title="Password">
      <Form form={form} submit={submit} buttons={button}>
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <PasswordField label="Current password" {...fieldOf(form, 'current', { required: 'Enter your current password.' })} />
        <PasswordField label="New password" isNew hint={PASSWORD_HINT} {...fieldOf(form, 'next', { validate: without(faultOfPassword) })} />
      </Form>
    </Panel>
  );
}
