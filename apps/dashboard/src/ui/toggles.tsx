import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { type JSX, type ReactNode, useId } from 'react';
import { Icon } from './icon.js';
import { Below } from './labelled.js';

export interface ToggleProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

interface RowProps extends Pick<ToggleProps, 'label' | 'hint'> {
  readonly id: string;
  readonly children: ReactNode;
}

function Row({ id, label, hint, children }: RowProps): JSX.Element {
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="flex min-h-8 w-fit cursor-pointer items-center gap-2 text-sm pointer-coarse:min-h-11">
        {children}
        {label}
      </label>
      <Below id={id} hint={hint} />
    </div>
  );
}

/** On or off at once, without a button that saves it. */
export function Switch({ label, hint, checked, onChange, disabled = false }: ToggleProps): JSX.Element {
  const id = useId();
  return (
    <Row {...{ id, label, hint }}>
      <BaseSwitch.Root
        id={id}
        checked={checked}
        onCheckedChange={(next) => onChange(next)}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="flex h-5 w-9 shrink-0 items-center rounded-full border border-edge bg-sunken px-0.5 transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
      >
        <BaseSwitch.Thumb className="size-3.5 rounded-full bg-edge transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </BaseSwitch.Root>
    </Row>
  );
}

export interface CheckboxProps extends ToggleProps {
  /** Some of what it stands for is chosen, some not. */
  readonly mixed?: boolean;
}

/** A choice in a form or a list that takes effect later. */
export function Checkbox({ label, hint, checked, onChange, disabled = false, mixed = false }: CheckboxProps): JSX.Element {
  const id = useId();
  return (
    <Row {...{ id, label, hint }}>
      <BaseCheckbox.Root
        id={id}
        checked={checked}
        onCheckedChange={(next) => onChange(next)}
        indeterminate={mixed}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="grid size-4 shrink-0 place-items-center rounded-sm border border-edge bg-surface transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50 data-indeterminate:border-accent data-indeterminate:bg-accent"
      >
        <BaseCheckbox.Indicator className="text-on-accent">
          <Icon name={mixed ? 'minus' : 'check'} className="size-3" />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
    </Row>
  );
}
