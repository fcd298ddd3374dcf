import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { FormDialog } from '../ui/form.js';
import { Moment } from '../ui/moment.js';
import { ExpiryFields, type ExpiryValues } from './expiry-fields.js';
import { expiryOf } from './key-state.js';
import { reachOf } from './reach.js';

/** Changes when a key expires. Its value stays. */
export function KeyExpiryDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const form = useForm<ExpiryValues>({ defaultValues: { choice: '90', day: '' } });
  const change = useChange('keys/set-expiry', ['keys/', 'audit/']);
  const submit = async ({ choice, day }: ExpiryValues): Promise<void> => {
    const reply = await change.mutateAsync({ key: subject.id, expires_at: expiryOf(choice, day, Date.now()) });
    announce(reachOf(reply, `The expiry of “${subject.name}” is changed.`));
    onClose();
  };
  const { expires_at: now } = subject;
  return (
    <FormDialog title={`Expiry of “${subject.name}”`} action="Save" {...{ form, submit, onClose }}>
      <p>
        {now == null ? (
          'It never expires.'
        ) : (
          <>
            It expires <Moment at={now} />.
          </>
        )}{' '}
        Its value stays the same.
      </p>
      <ExpiryFields />
    </FormDialog>
  );
}
