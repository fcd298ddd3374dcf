import type { KeyView } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { announce } from '../ui/announcements.js';
import { FormDialog } from '../ui/form.js';
import { AccessFields, LimitFields, type LimitValues } from './access-fields.js';
import { limitsOf, textsOf } from './key-limits.js';
import { reachOf } from './reach.js';

/** Changes which deployments a key may call and how much it may use. Its value stays. */
export function KeyLimitsDialog({ subject, onClose }: { readonly subject: KeyView; readonly onClose: () => void }): JSX.Element {
  const [deployments, setDeployments] = useState<readonly number[] | null>(subject.deployments ?? null);
  const form = useForm<LimitValues>({ defaultValues: { limits: textsOf(subject.limits) } });
  const setAccess = useChange('keys/set-deployments', ['keys/list']);
  const setLimits = useChange('keys/set-limits', ['keys/list']);
  const submit = async (values: LimitValues): Promise<void> => {
    const { id: key } = subject;
    const access = await setAccess.mutateAsync({ key, deployments: deployments === null ? null : [...deployments] });
    const limits = await setLimits.mutateAsync({ key, limits: limitsOf(values.limits) });
    announce(reachOf({ propagated: access.propagated && limits.propagated }, `Access and limits of “${subject.name}” are changed.`));
    onClose();
  };
  const props = { form, submit, onClose, disabled: deployments?.length === 0 };
  return (
    <FormDialog title={`Access and limits of “${subject.name}”`} action="Save" {...props}>
      <AccessFields deployments={deployments} onDeployments={setDeployments} />
      <LimitFields />
    </FormDialog>
  );
}
