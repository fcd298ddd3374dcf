import type { JSX } from 'react';
import { SelectField, TextField } from '../ui/field.js';
import { type ExpiryChoice, MAX_EXPIRY_DAYS } from './key-state.js';

const CHOICES: readonly { readonly value: ExpiryChoice; readonly label: string }[] = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
  { value: 'custom', label: 'Another number of days' },
  { value: 'never', label: 'Never' },
];

export interface ExpiryFieldsProps {
  readonly choice: ExpiryChoice;
  readonly days: string;
  readonly fault: string | null;
  readonly onChoice: (choice: ExpiryChoice) => void;
  readonly onDays: (days: string) => void;
}

/** When a key ends. */
export function ExpiryFields({ choice, days, fault, onChoice, onDays }: ExpiryFieldsProps): JSX.Element {
  return (
    <>
      <SelectField
        label="Expires after"
        choices={CHOICES}
        value={choice}
        onChange={({ target }) => onChoice(CHOICES.find(({ value }) => value === target.value)?.value ?? '90')}
      />
      {choice === 'custom' && (
        <TextField
          label="Days"
          inputMode="numeric"
          hint={`1 to ${MAX_EXPIRY_DAYS}`}
          value={days}
          fault={fault}
          onChange={(event) => onDays(event.target.value)}
        />
      )}
    </>
  );
}
