import type { JSX } from 'react';
import { useFormContext } from 'react-hook-form';
import { messageOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { Notice } from '../ui/notice.js';
import { TextField } from '../ui/field.js';
import { fieldOf, without } from '../ui/form.js';
import { faultOfLimit, LIMITS, type LimitTexts } from './key-limits.js';

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
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">Access</legend>
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="radio"
          name="access"
          className="size-4 accent-accent"
          checked={deployments === null}
          onChange={() => onDeployments(null)}
        />
        All deployments of this account, later ones too
      </label>
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="radio"
          name="access"
          className="size-4 accent-accent"
          checked={deployments !== null}
          onChange={() => onDeployments([])}
        />
        Only these
      </label>
      {deployments !== null && (
        <div className="grid max-h-48 gap-2 overflow-y-auto pl-6">
          {list.isError && <Notice look="bad">{messageOf(list.error)}</Notice>}
          {list.data?.deployments.map(({ id, name }) => (
            <label key={id} className="flex min-h-6 items-center gap-2">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={deployments.includes(id)}
                onChange={(event) => turn(id, event.target.checked)}
              />
              <span className="min-w-0 break-words">
                {name} <span className="text-muted">deployment-{id}</span>
              </span>
            </label>
          ))}
          {deployments.length === 0 && <p className="text-sm text-muted">Choose at least one.</p>}
        </div>
      )}
    </fieldset>
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
