import type { JSX } from 'react';
import { useFormContext } from 'react-hook-form';
import { useEveryDeployment } from '../api/lists.js';
import { slugOf } from '../deployments/inference-target.js';
import { MultiComboboxField } from '../ui/combobox-field.js';
import { TextField } from '../ui/field.js';
import { fieldOf, without } from '../ui/form.js';
import { RadioCards } from '../ui/radio-cards.js';
import { faultOfLimit, LIMITS, type LimitTexts } from './key-limits.js';

const ACCESS = [
  { value: 'all', title: 'All deployments', text: 'Including ones created later.' },
  { value: 'some', title: 'Selected deployments', text: 'Only the ones you choose.' },
] as const;

export interface AccessFieldsProps {
  /** Numbers of the deployments that the key may call; null = all. */
  readonly deployments: readonly number[] | null;
  readonly onDeployments: (deployments: readonly number[] | null) => void;
}

/** Which deployments a key opens. */
export function AccessFields({ deployments, onDeployments }: AccessFieldsProps): JSX.Element {
  const all = useEveryDeployment().data;
  return (
    <>
      <RadioCards
        label="Access"
        cards={ACCESS}
        value={deployments === null ? 'all' : 'some'}
        onChange={(value) => onDeployments(value === 'all' ? null : [])}
      />
      {deployments !== null && (
        <MultiComboboxField
          label="Deployments"
          placeholder={all === undefined ? 'Loading…' : 'Search by name or slug'}
          nothing={all?.length === 0 ? 'There are no deployments yet.' : 'Nothing matches.'}
          choices={(all ?? []).map((one) => ({ value: String(one.id), label: one.name, hint: slugOf(one) }))}
          value={deployments.map(String)}
          onChange={(ids) => onDeployments(ids.map(Number))}
          {...(deployments.length === 0 && { hint: 'Choose at least one.' })}
        />
      )}
    </>
  );
}

/** Fields of a form for the limits of a key. */
export interface LimitValues {
  limits: LimitTexts;
}

/** What a key may use at most; fields of the form around them. */
export function LimitFields(): JSX.Element {
  const form = useFormContext<LimitValues>();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {LIMITS.map(({ name, label }) => (
        <TextField
          key={name}
          label={label}
          inputMode="numeric"
          autoComplete="off"
          placeholder="No limit"
          {...fieldOf(form, `limits.${name}`, { validate: without(faultOfLimit) })}
        />
      ))}
      <p className="self-end text-xs text-muted">Tokens of prompts and answers count together. Days and months are UTC.</p>
    </div>
  );
}
