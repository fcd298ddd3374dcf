import type { JSX } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { SelectField, TextField } from '../ui/field.js';
import { fieldOf, without } from '../ui/form.js';
import { type ExpiryChoice, faultOfDays, MAX_EXPIRY_DAYS } from './key-state.js';

const CHOICES: readonly { readonly value: ExpiryChoice; readonly label: string }[] = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
  { value: 'custom', label: 'Another number of days' },
  { value: 'never', label: 'Never' },
];

/** Fields of a form that say when a key expires. */
export interface ExpiryValues {
  choice: ExpiryChoice;
  days: string;
}

/** When a key expires; fields of the form around them. */
export function ExpiryFields(): JSX.Element {
  const form = useFormContext<ExpiryValues>();
  return (
    <>
      <SelectField label="Expires after" choices={CHOICES} {...fieldOf(form, 'choice')} />
      {useWatch({ control: form.control, name: 'choice' }) === 'custom' && (
        <TextField
          label="Days"
          inputMode="numeric"
          hint={`1 to ${MAX_EXPIRY_DAYS}`}
          {...fieldOf(form, 'days', { validate: without(faultOfDays) })}
        />
      )}
    </>
  );
}
