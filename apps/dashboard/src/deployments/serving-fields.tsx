import type { JSX } from 'react';
import { TextField } from '../ui/field.js';
import type { DeploymentDraft, Faults } from './deployment-draft.js';

export interface DraftFieldsProps {
  readonly draft: DeploymentDraft;
  readonly faults: Faults;
  readonly onChange: (part: Partial<DeploymentDraft>) => void;
}

/** How much of it there is. */
export function ServingFields({ draft, faults, onChange }: DraftFieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label="Context length"
        inputMode="numeric"
        hint="Tokens of prompt and answer together. Empty: the model’s own."
        value={draft.context}
        fault={faults.context}
        onChange={(event) => onChange({ context: event.target.value })}
      />
      <TextField
        label="Slots"
        inputMode="numeric"
        hint="Requests that one replica serves at once."
        value={draft.slots}
        fault={faults.slots}
        onChange={(event) => onChange({ slots: event.target.value })}
      />
      <TextField
        label="Replicas"
        inputMode="numeric"
        hint="Workers that it runs on."
        value={draft.replicas}
        fault={faults.replicas}
        onChange={(event) => onChange({ replicas: event.target.value })}
      />
      <TextField
        label="Default answer length"
        inputMode="numeric"
        hint="Tokens, for requests that name no limit."
        value={draft.defaultMaxTokens}
        fault={faults.defaultMaxTokens}
        onChange={(event) => onChange({ defaultMaxTokens: event.target.value })}
      />
    </>
  );
}
