import type { JSX } from 'react';
import { TextField } from '../ui/field.js';
import type { DeploymentDraft, Faults, RANGES } from './deployment-draft.js';

export interface DraftFieldsProps {
  readonly draft: DeploymentDraft;
  readonly faults: Faults;
  readonly onChange: (part: Partial<DeploymentDraft>) => void;
}

type ServingField = keyof typeof RANGES;

const WORDS: Readonly<Record<ServingField, { readonly label: string; readonly hint: string }>> = {
  context: { label: 'Context length', hint: 'Tokens of prompt and answer together. Empty: the model’s own.' },
  slots: { label: 'Slots', hint: 'Requests that one replica serves at once. Empty: 4, and 256 for an engine.' },
  replicas: { label: 'Replicas', hint: 'Workers that it runs on.' },
  defaultMaxTokens: { label: 'Default answer length', hint: 'Tokens, for requests that name no limit.' },
};

/** How much of it there is. */
export function ServingFields({
  draft,
  faults,
  onChange,
  fields,
}: DraftFieldsProps & { readonly fields: readonly ServingField[] }): JSX.Element {
  return (
    <>
      {fields.map((field) => (
        <TextField
          key={field}
          {...WORDS[field]}
          inputMode="numeric"
          autoComplete="off"
          value={draft[field]}
          fault={faults[field]}
          onChange={(event) => onChange({ [field]: event.target.value })}
        />
      ))}
    </>
  );
}
