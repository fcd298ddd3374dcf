import type { AdapterView, SourceKind } from '@slipway/contracts';
import type { JSX } from 'react';
import { adapterName, verdictWords, needsReason } from '../adapters/adapter-words.js';
import { useAccount } from '../session/use-session.js';
import { useAdapters } from '../tuning/use-jobs.js';
import { SelectField, TextArea } from '../ui/field.js';
import type { Choice } from '../ui/select.js';
import type { DraftFieldsProps } from './draft-text.js';

const NONE: Choice = { value: '', label: 'None', hint: 'The model as it is' };

const choiceOf = (one: AdapterView): Choice => ({
  value: String(one.id),
  label: adapterName(one),
  hint: `${verdictWords(one.verdict).text}, of ${one.base}`,
  look: verdictWords(one.verdict).look,
});

/** Versions of the adapter that is served stand before others, the newest first. */
function inOrder(adapters: readonly AdapterView[], chosen: string): readonly AdapterView[] {
  const name = adapters.find(({ id }) => String(id) === chosen)?.name;
  return [...adapters.filter((one) => one.name === name), ...adapters.filter((one) => one.name !== name)];
}

function hintOf(known: AdapterView | undefined, kind: SourceKind): string {
  if (kind === 'http') return 'The engine gets it from the workers. It must have the base that the adapter was made for.';
  return known ? `Served on its base, ${known.base}.` : 'Fine-tuned weights for the model.';
}

/** Which adapter is served on the model; nothing where the account has none. */
export function AdapterFields({ draft, faults, onChange }: DraftFieldsProps): JSX.Element | null {
  const { role } = useAccount();
  const { data } = useAdapters();
  const adapters = data ?? [];
  const { adapter, override } = draft;
  const known = adapters.find(({ id }) => String(id) === adapter);
  if (adapters.length === 0 && adapter === '') return null;
  const choices = [NONE, ...inOrder(adapters, adapter).map(choiceOf)];
  return (
    <>
      <SelectField
        label="Adapter"
        choices={
          choices.some(({ value }) => value === adapter)
            ? choices
            : [...choices, { value: adapter, label: data ? `Adapter ${adapter}, deleted` : 'Loading…' }]
        }
        value={adapter}
        fault={faults.adapter}
        onChange={({ target }) => onChange({ adapter: target.value, override: '' })}
        hint={hintOf(known, draft.kind)}
      />
      {needsReason(known?.verdict) && role === 'owner' && (
        <TextArea
          label="Reason for deploying it against its verdict"
          rows={2}
          maxLength={500}
          value={override}
          fault={faults.override}
          onChange={({ target }) => onChange({ override: target.value })}
          hint="Kept in the activity of the account."
        />
      )}
    </>
  );
}
