import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatBytes, plural } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { ComboboxField } from '../ui/combobox-field.js';
import { SelectField, TextField } from '../ui/field.js';
import { OptionalSliderField } from '../ui/number-fields.js';
import type { Choice } from '../ui/select.js';
import { Checkbox } from '../ui/toggles.js';
import type { JobGoal } from './job-draft.js';
import { goalChange, goalOf, GOALS, serves } from './job-goal.js';
import { heldOutOf } from './job-words.js';
import type { JobForm } from './use-job-form.js';

interface FormProps {
  readonly form: JobForm;
}

/** What the plan holds out while nothing is chosen, in percent. */
const plannedPart = ({ plan: { value: plan } }: JobForm): number => Math.round(100 * ((plan && heldOutOf(plan)) ?? 0));

/** What every job needs: base, data set, name. */
export function JobFields({ form }: FormProps): JSX.Element {
  const { draft, change, faults } = form;
  return (
    <>
      <GoalField form={form} />
      <BaseField form={form} />
      <DatasetField form={form} />
      {draft.dataset !== '' && <VersionField form={form} />}
      <OptionalSliderField
        label="Held out for measuring"
        min={0}
        max={50}
        unit="%"
        standing={plannedPart(form)}
        placeholder="Automatic"
        value={draft.heldOut}
        onChange={(heldOut) => change({ heldOut })}
        fault={faults.heldOut}
        hint="Examples that are not learned, to compare the loss of base and adapter. Small sets are learned whole."
      />
      <TextField
        label="Name (optional)"
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
        fault={faults.name}
        placeholder={draft.dataset}
        hint="Of the job and of its adapter."
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
      />
      <DeployFields form={form} />
    </>
  );
}

function GoalField({ form: { draft, change } }: FormProps): JSX.Element {
  return (
    <SelectField
      label="Goal"
      choices={GOALS.map(({ value, label }) => ({ value, label }))}
      value={draft.goal}
      onChange={({ target }) => change(goalChange(draft, target.value as JobGoal))}
      hint={goalOf(draft.goal).hint}
    />
  );
}

function BaseField({ form: { draft, change, faults, bases } }: FormProps): JSX.Element {
  const choices: readonly Choice[] = (bases?.bases ?? []).map(({ base, architecture, bytes, trainers, detail }) => ({
    value: base,
    label: base,
    hint:
      trainers.length > 0
        ? `${architecture}, ${formatBytes(bytes)}, ${trainers.join(' or ')}`
        : (detail ?? 'No connected worker can train it.'),
  }));
  return (
    <ComboboxField
      label="Base"
      choices={choices}
      value={draft.base === '' ? null : draft.base}
      onChange={(base) => change({ base })}
      fault={faults.base}
      placeholder="Search models that workers can train"
      nothing="No training worker has such a model."
    />
  );
}

function DatasetField({ form: { draft, change, faults, datasets } }: FormProps): JSX.Element {
  const { slug: account } = useAccount();
  const ready = datasets.filter(({ ready: version, kind }) => version !== null && serves(kind, draft.goal));
  const upload = (
    <Link to="/$account/data-sets" params={{ account }} className="text-accent underline">
      Upload a data set first
    </Link>
  );
  return (
    <ComboboxField
      label="Data set"
      choices={ready.map(({ name, head }) => ({ value: name, label: name, hint: plural(head?.examples ?? 0, 'example') }))}
      value={draft.dataset === '' ? null : draft.dataset}
      onChange={(dataset) => change({ dataset, version: 0 })}
      fault={faults.dataset}
      placeholder="Search data sets"
      nothing="No data set with a ready version matches."
      {...(ready.length === 0 && { hint: upload })}
    />
  );
}

function DeployFields({ form: { draft, change, faults } }: FormProps): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <div className="grid gap-3">
      <Checkbox label="Deploy the adapter when its verdict is good" checked={draft.deploys} onChange={(deploys) => change({ deploys })} />
      {draft.deploys && (
        <TextField
          label="Alias (optional)"
          value={draft.alias}
          onChange={({ target }) => change({ alias: target.value })}
          fault={faults.alias}
          hint={`Clients call it as ${account}/${draft.alias.trim() || 'alias'}.`}
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </div>
  );
}

function VersionField({ form: { draft, change, datasets, faults } }: FormProps): JSX.Element {
  const { data } = useCall('datasets/find', { dataset: draft.dataset }, { staleMs: 15_000 });
  const newest = datasets.find(({ name }) => name === draft.dataset)?.ready ?? null;
  const versions = (data?.versions ?? []).filter(({ state }) => state === 'ready');
  const choices: readonly Choice[] = [
    { value: '0', label: newest === null ? 'Newest ready version' : `Newest ready version (v${newest})` },
    ...versions.map(({ number, examples }) => ({ value: String(number), label: `v${number}`, hint: plural(examples, 'example') })),
  ];
  const value = String(draft.version);
  return (
    <SelectField
      label="Version"
      choices={choices.some((one) => one.value === value) ? choices : [...choices, { value, label: `v${value}` }]}
      value={value}
      onChange={({ target }) => change({ version: Number(target.value) })}
      fault={faults.version}
    />
  );
}
