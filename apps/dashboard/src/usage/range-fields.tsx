import { type JSX, useState } from 'react';
import { SelectField, TextField } from '../ui/field.js';
import { useNow } from '../ui/use-now.js';
import { customRange, type RangeName, RANGES, rangeOf, type UsageRange } from './usage-range.js';

const CUSTOM = 'custom';
const CHOICES = [...RANGES, { value: CUSTOM, label: 'Choose days' }];

export interface ChosenRange {
  readonly range: UsageRange;
  readonly fields: JSX.Element;
}

/** Which time is shown, and the fields by which people choose it. Days that make no range leave the last good one. */
export function useRange(first: RangeName = '24h'): ChosenRange {
  const now = useNow();
  const [name, setName] = useState<RangeName | typeof CUSTOM>(first);
  const [days, setDays] = useState(() => {
    const today = new Date(now).toISOString().slice(0, 10);
    return { first: today, last: today };
  });
  const [good, setGood] = useState<UsageRange | null>(null);
  const chosen = name === CUSTOM ? customRange(days.first, days.last) : rangeOf(name, now);
  const fault = typeof chosen === 'string' ? chosen : null;
  const change = (next: typeof days): void => {
    if (typeof chosen !== 'string') setGood(chosen);
    setDays(next);
  };
  const fields = (
    <div className="flex flex-wrap items-start gap-3">
      <div className="w-56">
        <SelectField
          label="Time"
          choices={CHOICES}
          value={name}
          onChange={({ target }) => setName(RANGES.find(({ value }) => value === target.value)?.value ?? CUSTOM)}
        />
      </div>
      {name === CUSTOM && (
        <>
          <TextField
            label="First day (UTC)"
            type="date"
            value={days.first}
            fault={fault}
            onChange={({ target }) => change({ ...days, first: target.value })}
          />
          <TextField
            label="Last day (UTC)"
            type="date"
            value={days.last}
            onChange={({ target }) => change({ ...days, last: target.value })}
          />
        </>
      )}
    </div>
  );
  return { range: typeof chosen === 'string' ? (good ?? rangeOf(first, now)) : chosen, fields };
}
