import type { SuiteView } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { ComboboxField, MultiComboboxField } from '../ui/combobox-field.js';
import { FormDialog } from '../ui/form.js';
import { useDeploymentChoices } from './use-deployment-choices.js';

/** Beside the baseline. */
const OTHERS_MAX = 7;

export interface NewEvaluationDialogProps {
  readonly suites: readonly SuiteView[];
  readonly onClose: () => void;
}

/** Runs a suite over a baseline and the deployments that are compared with it. */
export function NewEvaluationDialog({ suites, onClose }: NewEvaluationDialogProps): JSX.Element {
  const { slug: account } = useAccount();
  const navigate = useNavigate();
  const form = useForm();
  const create = useChange('evaluations/create', ['evaluations/', 'suites/']);
  const choices = useDeploymentChoices();
  const usable = suites.filter(({ source_deleted: isGone }) => !isGone);
  const [suite, setSuite] = useState<string | null>(usable.length === 1 ? String(usable[0]?.id) : null);
  const [baseline, setBaseline] = useState<string | null>(null);
  const [others, setOthers] = useState<readonly string[]>([]);
  const submit = async (): Promise<void> => {
    const deployments = [baseline, ...others.filter((one) => one !== baseline)].map(Number);
    const { evaluation } = await create.mutateAsync({ suite: Number(suite), deployments });
    onClose();
    void navigate({ to: '/$account/evaluations/$id', params: { account, id: String(evaluation) } });
  };
  const isWhole = suite !== null && baseline !== null && others.length <= OTHERS_MAX;
  return (
    <FormDialog title="New evaluation" action="Start evaluation" disabled={!isWhole} {...{ form, submit, onClose }}>
      <ComboboxField
        label="Suite"
        choices={usable.map(({ id, name, sample, dataset_name: dataset }) => ({
          value: String(id),
          label: name,
          hint: `${sample} items of ${dataset}`,
        }))}
        value={suite}
        onChange={setSuite}
      />
      <ComboboxField
        label="Baseline"
        hint="What the others are compared with, such as the base of an adapter."
        choices={choices}
        value={baseline}
        onChange={setBaseline}
      />
      <MultiComboboxField
        label="Deployments"
        hint={`At most ${OTHERS_MAX}.`}
        choices={choices.filter(({ value }) => value !== baseline)}
        value={others}
        onChange={setOthers}
      />
    </FormDialog>
  );
}
