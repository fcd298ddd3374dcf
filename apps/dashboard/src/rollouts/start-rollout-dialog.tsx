import type { DeploymentView, RolloutCheck } from '@slipway/contracts';
import type { JSX } from 'react';
import { type UseFormReturn, useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { slugOf } from '../deployments/inference-target.js';
import { STATES } from '../deployments/state-words.js';
import { useDeployments } from '../deployments/use-deployments.js';
import { useSuites } from '../evaluations/use-evaluations.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { SelectField, TextField } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { NumberField } from '../ui/number-fields.js';
import { Checkbox } from '../ui/toggles.js';
import { OverrideField } from './override-field.js';
import { CHECK_NAMES, CHECKS, stepsOf } from './rollout-words.js';

interface Values {
  readonly candidate: string;
  readonly steps: string;
  readonly minutes: number | null;
  readonly byHand: boolean;
  readonly requests: number | null;
  readonly checks: readonly RolloutCheck[];
  /** Number of a suite, as text; empty = none. */
  readonly suite: string;
  readonly override: string;
}

/** What is left empty is the service's choice, which the placeholders name. */
const EMPTY: Values = {
  candidate: '',
  steps: '',
  minutes: null,
  byHand: false,
  requests: null,
  checks: CHECK_NAMES,
  suite: '',
  override: '',
};

export interface StartRolloutDialogProps {
  readonly alias: string;
  readonly stable: DeploymentView['id'];
  readonly onClose: () => void;
}

/** Begins to move an alias to another deployment of the account, in steps. */
export function StartRolloutDialog({ alias, stable, onClose }: StartRolloutDialogProps): JSX.Element {
  const { slug } = useAccount();
  const start = useChange('rollouts/start', ['rollouts/', 'aliases/', 'deployments/']);
  const form = useForm<Values>({ defaultValues: EMPTY });
  const all = useDeployments();
  const candidate = useWatch({ control: form.control, name: 'candidate' });
  const submit = async (values: Values): Promise<void> => {
    const { steps, minutes, byHand, requests, checks, suite, override } = values;
    const to = (all.data ?? []).find(({ id }) => String(id) === values.candidate);
    if (!to) return;
    await start.mutateAsync({
      ...{ alias, candidate: to.id, steps: stepsOf(steps) ?? undefined, minutes: byHand ? null : (minutes ?? undefined) },
      guard: { requests: requests ?? undefined, checks: [...checks] },
      ...(suite !== '' && { suite: Number(suite) }),
      ...(override.trim() !== '' && { override: override.trim() }),
    });
    announce(`The rollout of ${slug}/${alias} to ${slugOf(to)} runs.`);
    onClose();
  };
  const others = (all.data ?? []).filter(({ id, desired }) => id !== stable && desired === 'ready');
  return (
    <FormDialog title={`Roll ${slug}/${alias} out`} action="Start" disabled={others.length === 0} {...{ form, submit, onClose }}>
      <SelectField
        label="Candidate"
        hint={others.length === 0 ? 'There is no other running deployment.' : 'The deployment that the alias moves to.'}
        choices={others.map((one) => ({ value: String(one.id), label: one.name, hint: `${slugOf(one)}, ${STATES[one.state].text}` }))}
        {...fieldOf(form, 'candidate', { required: 'Choose a deployment.' })}
      />
      <TextField
        label="Steps in percent"
        autoComplete="off"
        placeholder="5, 25, 50, 100"
        hint="Rising shares of the conversations. The candidate is promoted after the last one."
        {...fieldOf(form, 'steps', {
          validate: (text) => text.trim() === '' || stepsOf(text) !== null || 'Write rising numbers from 1 to 100: 5, 25, 50, 100.',
        })}
      />
      <Pace form={form} />
      <Guard form={form} />
      <Suite form={form} />
      <OverrideField deployment={Number(candidate)} {...fieldOf(form, 'override')} />
    </FormDialog>
  );
}

function Pace({ form }: { readonly form: UseFormReturn<Values> }): JSX.Element {
  const [minutes, byHand] = useWatch({ control: form.control, name: ['minutes', 'byHand'] });
  return (
    <>
      <Checkbox label="Take each step by hand" checked={byHand} onChange={(next) => form.setValue('byHand', next)} />
      {!byHand && (
        <NumberField
          label="Minutes of each step"
          min={1}
          max={43_200}
          placeholder="10"
          value={minutes}
          onChange={(next) => form.setValue('minutes', next)}
        />
      )}
    </>
  );
}

function Guard({ form }: { readonly form: UseFormReturn<Values> }): JSX.Element {
  const [requests, checks] = useWatch({ control: form.control, name: ['requests', 'checks'] });
  const toggle = (check: RolloutCheck, isOn: boolean): void =>
    form.setValue(
      'checks',
      CHECK_NAMES.filter((one) => (one === check ? isOn : checks.includes(one))),
    );
  return (
    <fieldset className="grid gap-1">
      <legend className="text-sm font-medium">The guard takes the candidate back if it is worse by</legend>
      {CHECK_NAMES.map((check) => (
        <Checkbox key={check} label={CHECKS[check]} checked={checks.includes(check)} onChange={(isOn) => toggle(check, isOn)} />
      ))}
      <NumberField
        label="Requests of the candidate before it is judged"
        min={10}
        max={1_000_000}
        placeholder="50"
        value={requests}
        onChange={(next) => form.setValue('requests', next)}
      />
    </fieldset>
  );
}

/** By which the candidate is evaluated, in an account that has suites. */
function Suite({ form }: { readonly form: UseFormReturn<Values> }): JSX.Element | null {
  const usable = (useSuites().data ?? []).filter(({ source_deleted: isGone }) => !isGone);
  if (usable.length === 0) return null;
  const suites = usable.map(({ id, name, sample, dataset_name: dataset }) => ({
    value: String(id),
    label: name,
    hint: `${sample} items of ${dataset}`,
  }));
  return (
    <SelectField
      label="Suite"
      hint="Evaluates both deployments. The first step stays until the evaluation has succeeded, and a worse candidate is taken back."
      choices={[{ value: '', label: 'No evaluation' }, ...suites]}
      {...fieldOf(form, 'suite')}
    />
  );
}
