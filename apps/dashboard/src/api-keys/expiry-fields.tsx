import type { JSX } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { formatExact } from '../format/time.js';
import { useTimeZone } from '../format/time-zone.js';
import { SelectField, TextField } from '../ui/field.js';
import { fieldOf } from '../ui/form.js';
import { useNow } from '../ui/use-now.js';
import { type ExpiryChoice, expiryOf, faultOfDay } from './key-state.js';

const CHOICES: readonly { readonly value: ExpiryChoice; readonly label: string }[] = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 365 days' },
  { value: 'date', label: 'Custom date' },
  { value: 'never', label: 'Never' },
];

/** Fields of a form that say when a key expires. */
export interface ExpiryValues {
  choice: ExpiryChoice;
  /** `2027-03-01`, for a custom date. */
  day: string;
}

/** When a key expires; fields of the form around them. */
export function ExpiryFields(): JSX.Element {
  const form = useFormContext<ExpiryValues>();
  const zone = useTimeZone();
  const now = useNow();
  const [choice, day] = useWatch({ control: form.control, name: ['choice', 'day'] });
  const isDay = choice === 'date';
  const at = isDay && faultOfDay(day, now) !== null ? null : expiryOf(choice, day, now);
  const hint = at === null ? undefined : `Until ${formatExact(at, zone)}.`;
  return (
    <div className={`grid gap-4 ${isDay ? 'sm:grid-cols-2' : ''}`}>
      <SelectField label="Expires" choices={CHOICES} hint={isDay ? undefined : hint} {...fieldOf(form, 'choice')} />
      {isDay && (
        <TextField
          label="Last day (UTC)"
          type="date"
          min={new Date(now).toISOString().slice(0, 10)}
          max="2099-12-31"
          hint={hint}
          {...fieldOf(form, 'day', { validate: (text) => faultOfDay(text, Date.now()) ?? true })}
        />
      )}
    </div>
  );
}
