import type { EngineOption, ModelView } from '@slipway/contracts';
import { engineFacts, WEIGHTS_FACTOR } from '@slipway/contracts/engines';
import type { JSX } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { formatBytes } from '../format/number.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { chosenEngine, enginesOf, type SourceChoice } from './deployment-draft.js';
import { EngineConnectionTest } from './engine-connection-test.js';
import type { DraftFieldsProps } from './serving-fields.js';

export interface SourceFieldsProps extends DraftFieldsProps {
  /** The deployment that is being changed; absent for a new one. */
  readonly deployment?: number;
}

const KINDS: readonly { readonly value: SourceChoice; readonly label: string }[] = [
  { value: 'known', label: 'A model that is here' },
  { value: 'file', label: 'Another GGUF file that the workers see' },
  { value: 'download', label: 'A GGUF file to download' },
  { value: 'http', label: 'An HTTP engine (vLLM, SGLang, llama-server, Ollama)' },
];

const described = ({ name, bytes }: ModelView): string => (bytes === null ? name : `${name} (${formatBytes(bytes)})`);

const needOf = (model: ModelView | undefined): string | undefined =>
  model?.bytes == null
    ? undefined
    : `Takes about ${formatBytes(model.bytes * WEIGHTS_FACTOR)} of a worker’s memory, and more for each slot and its context.`;

/** Where the model comes from. */
export function SourceFields(props: SourceFieldsProps): JSX.Element {
  const { draft, onChange } = props;
  return (
    <>
      <SelectField
        label="Model"
        choices={KINDS}
        value={draft.kind}
        onChange={({ target }) => onChange({ kind: KINDS.find(({ value }) => value === target.value)?.value ?? 'known' })}
      />
      <KindFields {...props} />
      <EngineChoiceFields {...props} />
    </>
  );
}

/** The engine that loads the model, where there is a choice, and its options. */
function EngineChoiceFields({ draft, onChange }: DraftFieldsProps): JSX.Element {
  const choices = enginesOf(draft).map((kind) => ({ value: kind, label: engineFacts(kind)?.title ?? kind }));
  const engine = chosenEngine(draft);
  return (
    <>
      {choices.length > 1 && (
        <SelectField label="Engine" choices={choices} value={engine} onChange={({ target }) => onChange({ engine: target.value })} />
      )}
      {Object.entries(engineFacts(engine)?.options ?? {}).map(([name, option]) => (
        <EngineOptionField key={name} {...{ name, option, draft, onChange }} />
      ))}
    </>
  );
}

interface EngineOptionFieldProps extends Pick<DraftFieldsProps, 'draft' | 'onChange'> {
  readonly name: string;
  readonly option: EngineOption;
}

/** One option of the chosen engine. */
function EngineOptionField({ name, option: { label, hint, form, chars }, draft, onChange }: EngineOptionFieldProps): JSX.Element {
  const field = {
    ...{ label, hint, spellCheck: false, value: draft.engineOptions[name] ?? '' },
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ engineOptions: { ...draft.engineOptions, [name]: target.value } }),
  };
  return form === 'list' ? <TextArea rows={4} {...field} /> : <TextField autoComplete="off" maxLength={chars} {...field} />;
}

function KindFields(props: SourceFieldsProps): JSX.Element {
  const { draft } = props;
  if (draft.kind === 'known') return <KnownModel {...props} />;
  if (draft.kind === 'http') return <EngineFields {...props} />;
  if (draft.kind === 'file') {
    return <DraftText {...props} field="path" label="Path" hint="As the workers see it, in one of the operator’s model folders." />;
  }
  return (
    <DraftText {...props} field="uri" label="Address" hint="An https URL or hf:user/repo/file.gguf, at a host that the operator allows." />
  );
}

interface DraftTextProps extends DraftFieldsProps {
  readonly field: 'path' | 'uri' | 'url' | 'model';
  readonly label: string;
  readonly hint?: string;
}

/** One line of what somebody fills in. */
function DraftText({ draft, faults, onChange, field, label, hint }: DraftTextProps): JSX.Element {
  return (
    <TextField
      label={label}
      autoComplete="off"
      spellCheck={false}
      {...(hint !== undefined && { hint })}
      {...(field === 'url' && { type: 'url' })}
      value={draft[field]}
      fault={faults[field]}
      onChange={(event) => onChange({ [field]: event.target.value })}
    />
  );
}

function KnownModel({ draft, faults, onChange }: DraftFieldsProps): JSX.Element {
  const models = useCall('models/list', {});
  if (models.isError && !models.data) return <Notice look="bad">{messageOf(models.error)}</Notice>;
  const known = models.data?.models ?? [];
  const wait = models.data ? 'Choose a model' : 'Looking for models …';
  if (models.data && known.length === 0)
    return <Notice look="info">No models are here yet. Name a file, a download or an engine instead.</Notice>;
  const chosen = known.findIndex(({ source }) => JSON.stringify(source) === JSON.stringify(draft.known));
  return (
    <>
      <SelectField
        label="Which one"
        fault={faults.known}
        choices={[{ value: '-1', label: wait }, ...known.map((model, index) => ({ value: String(index), label: described(model) }))]}
        hint={needOf(known[chosen])}
        value={String(chosen)}
        onChange={({ target }) => onChange({ known: known[Number(target.value)]?.source ?? null })}
      />
      {models.data?.truncated && <p className="text-sm text-muted">The folders hold more models than are listed here.</p>}
    </>
  );
}

function EngineFields(props: SourceFieldsProps): JSX.Element {
  const { draft, faults, onChange, deployment } = props;
  return (
    <>
      <DraftText
        {...props}
        field="url"
        label="Address of the engine"
        hint="With or without /v1, at a host that the operator allows. The workers must reach it."
      />
      <DraftText {...props} field="model" label="Name of the model there" />
      <TextField
        label="Key of the engine"
        type="password"
        autoComplete="new-password"
        hint="Stored encrypted and never shown again. Leave it empty where the engine wants none."
        value={draft.credential}
        fault={faults.credential}
        onChange={(event) => onChange({ credential: event.target.value })}
      />
      <EngineConnectionTest draft={draft} deployment={deployment} onModel={(model) => onChange({ model })} />
    </>
  );
}
