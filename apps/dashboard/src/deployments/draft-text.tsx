import type { JSX } from 'react';
import { TextField } from '../ui/field.js';
import type { DeploymentDraft, Faults } from './deployment-draft.js';

export interface DraftFieldsProps {
  readonly draft: DeploymentDraft;
  readonly faults: Faults;
  readonly onChange: (part: Partial<DeploymentDraft>) => void;
  /** The deployment that is being changed; absent for a new one. */
  readonly deployment?: number | undefined;
}

interface DraftTextProps extends DraftFieldsProps {
  readonly field: 'path' | 'uri' | 'sha256' | 'url' | 'model' | 'name' | 'alias';
  readonly label: string;
  readonly hint?: string | JSX.Element;
  readonly placeholder?: string;
  readonly maxLength?: number;
}

/** One line of what somebody fills in. */
export function DraftText({ draft, faults, onChange, field, label, hint, placeholder, maxLength }: DraftTextProps): JSX.Element {
  return (
    <TextField
      label={label}
      name={field}
      autoComplete="off"
      spellCheck={false}
      placeholder={placeholder}
      maxLength={maxLength}
      {...(hint !== undefined && { hint })}
      {...(field === 'url' && { type: 'url' })}
      value={draft[field]}
      fault={faults[field]}
      onChange={(event) => onChange({ [field]: event.target.value })}
    />
  );
}
