import type { KeyView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { FormDialog } from '../ui/form.js';
import { AccessFields, LimitFields, type LimitValues } from './access-fields.js';
import { limitsOf, textsOf } from './key-limits.js';
import { reachOf } from './reach.js';

interface DialogOfKeyProps {
  readonly subject: KeyView;
  readonly onClose: () => void;
}

/** Changes how much a key may use. */
export function KeyLimitsDialog({ subject, onClose }: DialogOfKeyProps): JSX.Element {
  const form = useForm<LimitValues>({ defaultValues: { limits: textsOf(subject.limits) } });
  const change = useChange('keys/set-limits', ['keys/', 'audit/']);
  const submit = async ({ limits }: LimitValues): Promise<void> => {
    const reply = await change.mutateAsync({ key: subject.id, limits: limitsOf(limits) });
    announce(reachOf(reply, `The limits of “${subject.name}” are changed.`));
    onClose();
  };
  return (
    <FormDialog title={`Limits of “${subject.name}”`} action="Save" {...{ form, submit, onClose }}>
      <LimitFields />
    </FormDialog>
  );
}

/** Changes which deployments a key opens. Running requests continue. */
export function KeyAccessDialog({ subject, onClose }: DialogOfKeyProps): JSX.Element {
  const [deployments, setDeployments] = useState<readonly number[] | null>(subject.deployments ?? null);
  const form = useForm({ defaultValues: {} });
  const change = useChange('keys/set-deployments', ['keys/', 'audit/']);
  const submit = async (): Promise<void> => {
    const reply = await change.mutateAsync({ key: subject.id, deployments: deployments === null ? null : [...deployments] });
    announce(reachOf(reply, `The access of “${subject.name}” is changed.`));
    onClose();
  };
  return (
    <FormDialog title={`Access of “${subject.name}”`} action="Save" disabled={deployments?.length === 0} {...{ form, submit, onClose }}>
      <AccessFields deployments={deployments} onDeployments={setDeployments} />
    </FormDialog>
  );
}
