import { type JSX, type ReactNode, useState } from 'react';
import { Button } from '../ui/button.js';
import { SelectField, TextField } from '../ui/field.js';
import { NumberField } from '../ui/number-fields.js';
import { Checkbox } from '../ui/toggles.js';
import type { JobDraft } from './job-draft.js';
import { PRIORITIES } from './job-words.js';
import type { JobForm } from './use-job-form.js';

interface FormProps {
  readonly form: JobForm;
}

const AUTO = { value: '', label: 'Automatic' } as const;

const FOLDED: readonly (keyof JobDraft)[] = [
  'rank',
  'alpha',
  'learningRate',
  'epochs',
  'schedule',
  'batch',
  'beta',
  'seed',
  'tooLong',
  'earlyStop',
  'keepPoints',
];

/** Settings that the trainer chooses well by itself, folded until somebody wants them or one is wrong. */
export function AdvancedFields({ form }: FormProps): JSX.Element {
  const [isOpen, setOpen] = useState(
    () => form.draft.priority !== 0 || FOLDED.some((field) => form.draft[field] !== null && form.draft[field] !== ''),
  );
  const isShown = isOpen || FOLDED.some((field) => form.faults[field] !== undefined);
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-4 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold">Advanced</h2>
        <Button look="quiet" icon={isShown ? 'up' : 'down'} aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
          {isShown ? 'Hide settings' : 'Show settings'}
        </Button>
      </div>
      {isShown ? (
        <>
          <TrainingFields form={form} />
          <CourseFields form={form} />
          <GateFields form={form} />
        </>
      ) : (
        <p className="text-sm text-muted">
          Rank, learning rate, epochs and the checks of the verdict are automatic. The plan shows each value.
        </p>
      )}
    </section>
  );
}

const Pair = ({ children }: { readonly children: ReactNode }): JSX.Element => (
  <div className="grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2">{children}</div>
);

function TrainingFields({ form: { draft, change, faults } }: FormProps): JSX.Element {
  const number = { placeholder: 'Automatic', min: 1 } as const;
  return (
    <>
      <Pair>
        <NumberField
          label="Epochs"
          {...number}
          max={100}
          value={draft.epochs}
          onChange={(epochs) => change({ epochs })}
          fault={faults.epochs}
        />
        <TextField
          label="Learning rate"
          inputMode="decimal"
          placeholder="Automatic"
          value={draft.learningRate}
          onChange={({ target }) => change({ learningRate: target.value })}
          fault={faults.learningRate}
        />
      </Pair>
      <Pair>
        <NumberField label="Rank" {...number} max={256} value={draft.rank} onChange={(rank) => change({ rank })} fault={faults.rank} />
        <NumberField
          label="Alpha"
          {...number}
          max={1_024}
          value={draft.alpha}
          onChange={(alpha) => change({ alpha })}
          fault={faults.alpha}
        />
      </Pair>
      <Pair>
        <NumberField
          label="Examples of a step"
          {...number}
          max={1_024}
          value={draft.batch}
          onChange={(batch) => change({ batch })}
          fault={faults.batch}
          hint="The embedded trainer takes one."
        />
        <TextField
          label="Beta"
          inputMode="decimal"
          placeholder="Automatic"
          value={draft.beta}
          onChange={({ target }) => change({ beta: target.value })}
          fault={faults.beta}
          hint="Of preferences: the lower, the further from the base."
        />
      </Pair>
    </>
  );
}

/** How it learns, beside its numbers. */
function CourseFields({ form: { draft, change, faults, bases } }: FormProps): JSX.Element {
  const trainers = bases?.bases.find(({ base }) => base === draft.base)?.trainers ?? [];
  const names = draft.trainer === '' || trainers.includes(draft.trainer) ? trainers : [...trainers, draft.trainer];
  return (
    <>
      <Pair>
        <SelectField
          label="Schedule"
          choices={[AUTO, ...(['cosine', 'linear', 'constant'] as const).map((value) => ({ value, label: value }))]}
          value={draft.schedule}
          onChange={({ target }) => change({ schedule: target.value as JobDraft['schedule'] })}
        />
        <SelectField
          label="Early stop"
          choices={[AUTO, { value: 'on', label: 'On' }, { value: 'off', label: 'Off' }]}
          value={draft.earlyStop}
          onChange={({ target }) => change({ earlyStop: target.value as JobDraft['earlyStop'] })}
        />
      </Pair>
      <Pair>
        <SelectField
          label="Examples longer than the context"
          choices={[
            AUTO,
            { value: 'leave_out', label: 'Leave out' },
            { value: 'cut', label: 'Cut at the start' },
            { value: 'refuse', label: 'Refuse the job' },
          ]}
          value={draft.tooLong}
          onChange={({ target }) => change({ tooLong: target.value as JobDraft['tooLong'] })}
        />
        <NumberField
          label="Seed"
          placeholder="Automatic"
          min={0}
          max={2_147_483_647}
          value={draft.seed}
          onChange={(seed) => change({ seed })}
          fault={faults.seed}
        />
      </Pair>
      <SelectField
        label="Priority"
        choices={PRIORITIES}
        value={String(draft.priority)}
        onChange={({ target }) => change({ priority: Number(target.value) })}
        hint="Among the waiting jobs of this account. It can be changed while the job waits."
      />
      {names.length > 1 && (
        <SelectField
          label="Trainer"
          choices={[AUTO, ...names.map((value) => ({ value, label: value }))]}
          value={draft.trainer}
          onChange={({ target }) => change({ trainer: target.value })}
          fault={faults.trainer}
        />
      )}
    </>
  );
}

/** Which checks decide the verdict of the adapter. */
function GateFields({ form: { draft, change, faults, datasets } }: FormProps): JSX.Element {
  return (
    <fieldset className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <legend className="mb-2 text-sm font-medium">The verdict needs</legend>
      <Checkbox
        label="A lower loss on held-out examples than the base"
        checked={draft.checkHeldLoss}
        onChange={(checkHeldLoss) => change({ checkHeldLoss })}
      />
      <Checkbox
        label="No answer that repeats itself or has no end"
        checked={draft.checkDegenerate}
        onChange={(checkDegenerate) => change({ checkDegenerate })}
      />
      <Pair>
        <NumberField
          label="Most points that the keep set may lose"
          placeholder="Automatic"
          unit="points"
          min={0}
          max={100}
          value={draft.keepPoints}
          onChange={(keepPoints) => change({ keepPoints })}
          fault={faults.keepPoints}
        />
        <SelectField
          label="Keep set"
          choices={[
            { value: '', label: 'Built in, where the base has one' },
            ...datasets.filter(({ ready }) => ready !== null).map(({ name }) => ({ value: name, label: name })),
          ]}
          value={draft.keepDataset}
          onChange={({ target }) => change({ keepDataset: target.value })}
          fault={faults.keepDataset}
          hint="Conversations whose right answers must not be lost."
        />
      </Pair>
    </fieldset>
  );
}
