import type { Grader } from '@slipway/contracts';
import type { JSX } from 'react';
import { ComboboxField } from '../ui/combobox-field.js';
import { TextArea, TextField } from '../ui/field.js';
import { NumberField } from '../ui/number-fields.js';
import { Checkbox } from '../ui/toggles.js';
import { graderName } from './evaluation-words.js';
import type { SuiteDraft } from './suite-draft.js';
import { useDeploymentChoices } from './use-deployment-choices.js';

const HINTS: Readonly<Record<Grader['kind'], string>> = {
  exact: 'The answer is the reference.',
  contains: 'The answer contains a text, or the reference.',
  regex: 'An expression matches somewhere in the answer.',
  json_schema: 'The answer is JSON that fits a schema.',
  tool_call: 'The answer calls the tools of the reference with equal arguments.',
  degenerate: 'The answer ends, and does not repeat itself.',
  length: 'The answer has a length within bounds.',
  judge: 'A deployment compares each answer with the baseline’s, in both orders.',
  people: 'Members compare answers without knowing whose they are.',
};

const KINDS = Object.keys(HINTS) as Grader['kind'][];

export interface GraderFieldsProps {
  readonly draft: SuiteDraft;
  readonly onChange: (change: Partial<SuiteDraft>) => void;
}

/** The graders of a new suite, with the settings of those that are chosen. */
export function GraderFields({ draft, onChange }: GraderFieldsProps): JSX.Element {
  const toggle = (kind: Grader['kind'], isChosen: boolean): void =>
    onChange({ chosen: KINDS.filter((one) => (one === kind ? isChosen : draft.chosen.includes(one))) });
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">Graders</legend>
      {KINDS.map((kind) => (
        <div key={kind} className="grid gap-2">
          <Checkbox
            label={graderName({ kind })}
            hint={HINTS[kind]}
            checked={draft.chosen.includes(kind)}
            onChange={(isChosen) => toggle(kind, isChosen)}
          />
          {draft.chosen.includes(kind) && <Settings {...{ kind, draft, onChange }} />}
        </div>
      ))}
    </fieldset>
  );
}

function Settings({ kind, draft, onChange }: GraderFieldsProps & { readonly kind: Grader['kind'] }): JSX.Element | null {
  if (kind === 'contains')
    return (
      <TextField
        label="Text (empty: the reference)"
        maxLength={1_000}
        value={draft.text}
        onChange={({ target }) => onChange({ text: target.value })}
      />
    );
  if (kind === 'regex')
    return (
      <TextField
        label="Expression"
        spellCheck={false}
        maxLength={1_000}
        value={draft.pattern}
        onChange={({ target }) => onChange({ pattern: target.value })}
      />
    );
  if (kind === 'json_schema')
    return (
      <TextArea
        label="Schema"
        rows={4}
        spellCheck={false}
        value={draft.schema}
        onChange={({ target }) => onChange({ schema: target.value })}
      />
    );
  if (kind === 'length') return <Bounds {...{ draft, onChange }} />;
  return kind === 'judge' ? <Judge {...{ draft, onChange }} /> : null;
}

function Bounds({ draft, onChange }: GraderFieldsProps): JSX.Element {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <NumberField label="At least" unit="characters" min={0} value={draft.min} onChange={(min) => onChange({ min })} />
      <NumberField label="At most" unit="characters" min={0} value={draft.max} onChange={(max) => onChange({ max })} />
    </div>
  );
}

function Judge({ draft, onChange }: GraderFieldsProps): JSX.Element {
  const choices = useDeploymentChoices();
  return (
    <div className="grid gap-3">
      <ComboboxField label="Judge" choices={choices} value={draft.judge} onChange={(judge) => onChange({ judge })} />
      <TextArea
        label="Rubric"
        rows={3}
        maxLength={2_000}
        value={draft.rubric}
        onChange={({ target }) => onChange({ rubric: target.value })}
      />
    </div>
  );
}
