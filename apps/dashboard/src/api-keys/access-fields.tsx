import type { JSX } from 'react';
import { useFormContext } from 'react-hook-form';
import { messageOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { Notice } from '../ui/notice.js';
import { TextField } from '../ui/field.js';
import { fieldOf, without } from '../ui/form.js';
import { RadioCards } from '../ui/radio-cards.js';
import { Checkbox } from '../ui/toggles.js';
import { faultOfLimit, LIMITS, type LimitTexts } from './key-limits.js';

const ACCESS = [
  { value: 'all', title: 'All deployments of this account, later ones too' },
  { value: 'some', title: 'Only these' },
] as const;

export interface AccessFieldsProps {
  /** Numbers of the deployments that the key may call; null = all. */
  readonly deployments: readonly number[] | null;
  readonly onDeployments: (deployments: readonly number[] | null) => void;
}

/** Which deployments a key opens. */
export function AccessFields({ deployments, onDeployments }: AccessFieldsProps): JSX.Element {
  const list = useCall('deployments/list', {});
  const turn = (id: number, on: boolean): void =>
    onDeployments(on ? [...(deployments ?? []), id] : (deployments ?? []).filter((one) => one !== id));
  return (
    <div className="grid gap-2">
      <RadioCards
        label="Access"
        cards={ACCESS}
        value={deployments === null ? 'all' : 'some'}
        onChange={(value) => onDeployments(value === 'all' ? null : [])}
      />
      {deployments !== null && (
        <div className="grid max-h-48 overflow-y-auto pl-3">
          {list.isError && <Notice look="bad">{messageOf(list.error)}</Notice>}
          {list.data?.deployments.map(({ id, name }) => (
            <Checkbox
              key={id}
              checked={deployments.includes(id)}
              onChange={(on) => turn(id, on)}
              label={
                <span className="min-w-0 break-words">
                  {name} <span className="text-muted">deployment-{id}</span>
                </span>
              }
            />
          ))}
          {deployments.length === 0 && <p className="text-sm text-muted">Choose at least one.</p>}
        </div>
      )}
    </div>
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
      <p className="self-end text-sm text-muted">Tokens are those of prompts and answers together. Days and months are UTC.</p>
    </div>
  );
}
