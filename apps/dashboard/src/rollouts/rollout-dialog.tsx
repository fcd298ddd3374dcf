import type { RolloutView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { slugOf } from '../deployments/inference-target.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { OverrideField } from './override-field.js';

/** What a person does with a rollout. */
export type RolloutStep = 'advance' | 'promote' | 'back';

const REFRESH = ['rollouts/', 'aliases/', 'deployments/'];

interface Values {
  readonly reason: string;
  readonly override: string;
}

interface Words {
  readonly title: string;
  readonly action: string;
  readonly text: string;
  readonly done: string;
}

/** @param name the alias with its account */
function wordsOf(step: RolloutStep, { stable, candidate, steps, at_step: at }: RolloutView, name: string): Words {
  const [from, to] = [slugOf({ id: stable }), slugOf({ id: candidate })];
  const next = steps[at + 1] ?? 100;
  const promote = `${name} will point at ${to} at once. ${from} stays as it is, and a roll back returns to it.`;
  if (step === 'back') {
    const text = `All requests to ${name} go to ${from} within a second. Running answers of ${to} are finished there.`;
    return { title: `Roll ${name} back`, action: 'Roll back', text, done: `${name} is rolled back.` };
  }
  if (step === 'promote' || next === 100)
    return { title: `Promote ${to}`, action: 'Promote', text: promote, done: `${name} points at ${to}.` };
  const text = `${to} will answer ${next} % of the conversations at once, without waiting for the time of this step.`;
  return { title: 'Take the next step', action: `Give it ${next} %`, text, done: `${to} answers ${next} %.` };
}

export interface RolloutDialogProps {
  readonly step: RolloutStep;
  readonly rollout: RolloutView;
  readonly onClose: () => void;
}

/** Asks before a rollout takes a step, is promoted or rolled back. */
export function RolloutDialog({ step, rollout, onClose }: RolloutDialogProps): JSX.Element {
  const { slug } = useAccount();
  const advance = useChange('rollouts/advance', REFRESH);
  const promote = useChange('rollouts/promote', REFRESH);
  const back = useChange('rollouts/roll-back', REFRESH);
  const form = useForm<Values>({ defaultValues: { reason: '', override: '' } });
  const { alias } = rollout;
  const { title, action, text, done } = wordsOf(step, rollout, `${slug}/${alias}`);
  const submit = async ({ reason, override }: Values): Promise<void> => {
    if (step === 'back') await back.mutateAsync({ alias, ...(reason.trim() !== '' && { reason: reason.trim() }) });
    else if (step === 'promote') await promote.mutateAsync({ alias, ...(override.trim() !== '' && { override: override.trim() }) });
    else await advance.mutateAsync({ alias, from_step: rollout.at_step });
    announce(done);
    onClose();
  };
  return (
    <FormDialog look={step === 'back' ? 'danger' : 'main'} {...{ title, action, form, submit, onClose }}>
      <p>{text}</p>
      {step === 'back' && <TextField label="Reason (optional)" maxLength={500} autoComplete="off" {...fieldOf(form, 'reason')} />}
      {step === 'promote' && <OverrideField deployment={rollout.candidate} {...fieldOf(form, 'override')} />}
    </FormDialog>
  );
}
