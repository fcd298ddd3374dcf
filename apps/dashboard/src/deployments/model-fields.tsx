import type { EngineOption, ModelView } from '@slipway/contracts';
import { engineFacts } from '@slipway/contracts/engines';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { formatBytes, plural } from '../format/number.js';
import { Button } from '../ui/button.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { Skeleton } from '../ui/skeleton.js';
import { AdapterFields } from './adapter-fields.js';
import { ChoiceRows, type RowChoice } from './choice-rows.js';
import { chosenEngine, type DeploymentDraft, draftOfSource, enginesOf, namesSource } from './deployment-draft.js';
import { type DraftFieldsProps, DraftText } from './draft-text.js';
import { EngineFields } from './engine-fields.js';
import { useModels } from '../api/lists.js';
import { useOptions } from './use-options.js';

/** Which model of a source is served, and the engine that loads it. */
export function ModelFields(props: DraftFieldsProps): JSX.Element {
  const { draft } = props;
  const { kind } = draft;
  if (!namesSource(draft)) return <AdapterFields {...props} />;
  return (
    <>
      {kind === 'file' && <FileFields {...props} />}
      {kind === 'download' && <DownloadFields {...props} />}
      {kind === 'http' && <EngineFields {...props} />}
      <EngineChoiceFields {...props} />
      {kind !== 'download' && <AdapterFields {...props} />}
    </>
  );
}

/** Where a model is, in one line. */
function placeOf({ source, hosts }: ModelView): string {
  const on = hosts.length === 0 ? '' : ` · on ${hosts.join(', ')}`;
  if (source.kind === 'http') return source.url;
  return `${source.kind === 'file' ? source.path : source.uri}${on}`;
}

const choiceOf = (model: ModelView): RowChoice => ({
  ...{ value: JSON.stringify(model.source), title: model.name, text: placeOf(model) },
  ...(model.bytes !== null && { aside: formatBytes(model.bytes) }),
});

/** The models of one kind of source, and which of them a draft names. */
function useChoices(draft: DeploymentDraft): {
  readonly query: ReturnType<typeof useModels>;
  readonly choices: readonly RowChoice[];
  readonly chosen: string;
} {
  const query = useModels();
  const models = (query.data ?? []).filter(({ source }) => source.kind === draft.kind);
  const isChosen = ({ source }: ModelView): boolean =>
    (source.kind === 'file' && source.path === draft.path.trim()) || (source.kind === 'download' && source.uri === draft.uri.trim());
  const chosen = models.find(isChosen);
  return { query, choices: models.map(choiceOf), chosen: chosen ? JSON.stringify(chosen.source) : '' };
}

const takeOver = (value: string): Partial<DeploymentDraft> => draftOfSource(JSON.parse(value) as ModelView['source']);

function FileFields({ draft, faults, onChange }: DraftFieldsProps): JSX.Element {
  const { query, choices, chosen } = useChoices(draft);
  const [typing, setTyping] = useState(false);
  if (query.isPending) return <Skeleton shape="form" what="Models" count={4} />;
  const isTyped = typing || choices.length === 0 || (draft.path.trim() !== '' && chosen === '');
  return (
    <>
      {query.isError && <Notice look="bad">{messageOf(query.error)}</Notice>}
      {choices.length > 0 && (
        <ChoiceRows
          label="Model on the workers"
          choices={choices}
          value={chosen}
          fault={isTyped ? undefined : faults.path}
          onChange={(value) => onChange(takeOver(value))}
        />
      )}
      {isTyped ? (
        <DraftText
          {...{ draft, faults, onChange }}
          field="path"
          label="Path on the workers"
          placeholder="/models/model.gguf"
          hint="A GGUF file in one of the operator’s model folders."
        />
      ) : (
        <div>
          <Button look="quiet" icon="edit" onClick={() => setTyping(true)}>
            Enter a path instead
          </Button>
        </div>
      )}
    </>
  );
}

function DownloadFields({ draft, faults, onChange }: DraftFieldsProps): JSX.Element {
  const { choices, chosen } = useChoices(draft);
  const hosts = useOptions()?.sources.download.hosts ?? [];
  return (
    <>
      <DraftText
        {...{ draft, faults, onChange }}
        field="uri"
        label="URL"
        placeholder="hf:user/repo/model.Q4_K_M.gguf"
        hint={`An https URL of a GGUF file, or hf:user/repo/file.gguf.${hosts.length > 0 ? ` Allowed hosts: ${hosts.join(', ')}.` : ''}`}
      />
      <DraftText
        {...{ draft, faults, onChange }}
        field="sha256"
        label="SHA-256 checksum (optional)"
        hint="The download is refused if its checksum differs."
      />
      {choices.length > 0 && (
        <ChoiceRows label="Used before" choices={choices} value={chosen} onChange={(value) => onChange(takeOver(value))} />
      )}
    </>
  );
}

/** The engine that loads the model, where there is a choice, and its options. */
function EngineChoiceFields({ draft, faults, onChange }: DraftFieldsProps): JSX.Element | null {
  const running = useOptions()?.engines;
  const engine = chosenEngine(draft);
  const options = Object.entries(engineFacts(engine)?.options ?? {});
  const choices = enginesOf(draft).map((kind) => {
    const workers = running?.find((one) => one.kind === kind)?.workers ?? 0;
    return { value: kind, label: engineFacts(kind)?.title ?? kind, ...(running && { hint: onWorkers(workers) }) };
  });
  if (choices.length < 2 && options.length === 0) return null;
  return (
    <>
      {choices.length > 1 && (
        <SelectField
          label="Engine"
          choices={choices}
          value={engine}
          fault={faults.engine}
          onChange={({ target }) => onChange({ engine: target.value })}
        />
      )}
      {options.map(([name, option]) => (
        <EngineOptionField key={name} {...{ name, option, draft, onChange }} />
      ))}
      {faults.engineOptions !== undefined && <Notice look="bad">{faults.engineOptions}</Notice>}
    </>
  );
}

const onWorkers = (workers: number): string => (workers === 0 ? 'No connected worker runs it' : `On ${plural(workers, 'worker')}`);

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
