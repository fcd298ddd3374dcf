import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { nameFault } from '../data-sets/tuning-name.js';
import { useDatasets } from '../data-sets/use-datasets.js';
import { ComboboxField } from '../ui/combobox-field.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { Notice } from '../ui/notice.js';
import { NumberField } from '../ui/number-fields.js';
import { GraderFields } from './grader-fields.js';
import { FIRST_DRAFT, gradersOf } from './suite-draft.js';

const ITEMS_MAX = 500;

export interface NewSuiteDialogProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Makes a suite. */
export function NewSuiteDialog({ onClose, onCreated }: NewSuiteDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { name: '' } });
  const create = useChange('suites/create', ['suites/']);
  const { data: datasets } = useDatasets();
  const [dataset, setDataset] = useState<string | null>(null);
  const [sample, setSample] = useState<number | null>(100);
  const [draft, setDraft] = useState(FIRST_DRAFT);
  const graders = gradersOf(draft);
  const ready = (datasets ?? []).filter((one) => one.ready !== null);
  const submit = async ({ name }: { readonly name: string }): Promise<void> => {
    if (dataset === null || typeof graders === 'string') return;
    await create.mutateAsync({ name: name.trim(), dataset, ...(sample !== null && { sample }), graders: [...graders] });
    onCreated();
    onClose();
  };
  return (
    <FormDialog
      title="New suite"
      action="Create suite"
      disabled={dataset === null || typeof graders === 'string'}
      {...{ form, submit, onClose }}
    >
      <TextField
        label="Name"
        autoComplete="off"
        spellCheck={false}
        maxLength={63}
        {...fieldOf(form, 'name', { validate: without((text: string) => nameFault(text.trim())) })}
      />
      <ComboboxField
        label="Data set"
        hint="All before the last assistant message is asked; that message is the reference."
        choices={ready.map(({ name, ready: version }) => ({ value: name, label: name, hint: `v${version}` }))}
        nothing="No data set has a version that is ready."
        value={dataset}
        onChange={setDataset}
      />
      <NumberField
        label="Items"
        hint="Conversations that are asked, chosen by a seed."
        min={1}
        max={ITEMS_MAX}
        value={sample}
        onChange={setSample}
      />
      <GraderFields draft={draft} onChange={(change) => setDraft((former) => ({ ...former, ...change }))} />
      {typeof graders === 'string' && <Notice look="info">{graders}</Notice>}
    </FormDialog>
  );
}
