import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { FormDialog } from '../ui/form.js';
import { ExpiryFields, type ExpiryValues } from './expiry-fields.js';
import { KeyImpact } from './key-impact.js';
import { expiryOf } from './key-state.js';
import { reachOf } from './reach.js';

export interface RotateKeyDialogProps {
  readonly subject: KeyView;
  readonly onClose: () => void;
  readonly onRotated: (value: string) => void;
}

/** Asks before a key gets another value; an expired one gets a new expiry with it. */
export function RotateKeyDialog({ subject, onClose, onRotated }: RotateKeyDialogProps): JSX.Element {
  const isOver = subject.state === 'expired';
  const form = useForm<ExpiryValues>({ defaultValues: { choice: '90', day: '' } });
  const rotate = useChange('keys/rotate', ['keys/', 'audit/']);
  const submit = async ({ choice, day }: ExpiryValues): Promise<void> => {
    const expiry = isOver ? { expires_at: expiryOf(choice, day, Date.now()) } : {};
    const reply = await rotate.mutateAsync({ key: subject.id, ...expiry });
    announce(reachOf(reply, 'The old value stopped working.'));
    onRotated(reply.value);
  };
  return (
    <FormDialog title={`Rotate “${subject.name}”`} action="Rotate key" look="danger" {...{ form, submit, onClose }}>
      <p>The current value stops working at once. Applications that use it get 401 until you replace it.</p>
      <p className="text-sm font-medium">
        <KeyImpact keys={[subject]} />
      </p>
      <p className="text-sm text-muted">
        For a change without interruption create a second key, switch your applications to it, then revoke this one.
      </p>
      {isOver && <ExpiryFields />}
    </FormDialog>
  );
}
