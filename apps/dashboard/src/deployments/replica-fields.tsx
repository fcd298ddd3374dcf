import type { JSX, ReactNode } from 'react';
import { NumberField } from '../ui/number-fields.js';
import { goodNumber, RANGES } from './deployment-draft.js';
import type { DraftFieldsProps } from './draft-text.js';
import { useOptions } from './use-options.js';

interface ReplicaFieldsProps extends DraftFieldsProps {
  readonly hint: ReactNode;
  readonly placeholder?: string;
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));

/** How many replicas, up to how many the load may make it, and how full they should be. */
export function ReplicaFields({ draft, faults, onChange, deployment, hint, placeholder }: ReplicaFieldsProps): JSX.Element {
  const most = Math.min(useOptions()?.max.replicas ?? RANGES.replicas.max, RANGES.replicas.max);
  const isRange = draft.maxReplicas !== '';
  return (
    <>
      <NumberField
        label="Replicas"
        hint={hint}
        min={1}
        max={most}
        {...(placeholder !== undefined && { placeholder })}
        value={goodNumber(draft, 'replicas')}
        fault={faults.replicas}
        // A deployment that exists has a number.
        onChange={(value) => (value !== null || deployment === undefined) && onChange({ replicas: textOf(value) })}
      />
      <NumberField
        label="Maximum"
        hint="Adds replicas up to this number under load, and gives them up when it ends."
        min={1}
        max={most}
        placeholder="Does not grow"
        value={goodNumber(draft, 'maxReplicas')}
        fault={faults.maxReplicas}
        onChange={(value) => onChange({ maxReplicas: textOf(value), ...(value === null && { targetPercent: '' }) })}
      />
      {isRange && (
        <NumberField
          label="Target load"
          hint="Share of the slots that requests should take."
          {...RANGES.targetPercent}
          placeholder="Default: 70"
          unit="%"
          value={goodNumber(draft, 'targetPercent')}
          fault={faults.targetPercent}
          onChange={(value) => onChange({ targetPercent: textOf(value) })}
        />
      )}
    </>
  );
}
