import { NumberField as Base } from '@base-ui/react/number-field';
import { Slider } from '@base-ui/react/slider';
import type { JSX } from 'react';
import { Icon } from './icon.js';
import { type FieldProps, Labelled, labelId, type Wiring } from './labelled.js';

export interface NumberFieldProps extends FieldProps {
  /** null = empty. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly placeholder?: string;
  /** Unit behind the number: "tokens". */
  readonly unit?: string;
  readonly disabled?: boolean;
}

/** A number with buttons, arrow keys (Shift: ten steps) and limits. */
export function NumberField({ label, hint, fault, bare, ...number }: NumberFieldProps): JSX.Element {
  return <Labelled {...{ label, hint, fault, bare }}>{(wiring) => <NumberInput {...number} label={label} wiring={wiring} />}</Labelled>;
}

type NumberInputProps = Omit<NumberFieldProps, 'hint' | 'fault' | 'bare'> & {
  readonly wiring: Omit<Wiring, 'id'> & { readonly id?: string };
};

function NumberInput({
  label,
  value,
  onChange,
  min,
  max,
  step = 1,
  placeholder,
  unit,
  disabled = false,
  wiring,
}: NumberInputProps): JSX.Element {
  const limits = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  const { id, ...about } = wiring;
  const stepper = 'grid w-6 place-items-center rounded-sm text-muted hover:bg-sunken hover:text-ink disabled:opacity-40';
  return (
    <Base.Root
      {...limits}
      {...(id !== undefined && { id })}
      value={value}
      onValueChange={(next) => onChange(next)}
      step={step}
      smallStep={step}
      largeStep={step * 10}
      disabled={disabled}
    >
      <Base.Group className="field flex items-stretch gap-1 pr-1" aria-invalid={about['aria-invalid']}>
        <Base.Input
          {...about}
          {...(id === undefined && { 'aria-label': label })}
          placeholder={placeholder}
          className="min-w-0 flex-1 bg-transparent tabular-nums outline-none"
        />
        {unit !== undefined && <span className="self-center text-xs text-muted">{unit}</span>}
        <Base.Decrement aria-label={`Decrease ${label}`} className={stepper}>
          <Icon name="minus" className="size-3.5" />
        </Base.Decrement>
        <Base.Increment aria-label={`Increase ${label}`} className={stepper}>
          <Icon name="plus" className="size-3.5" />
        </Base.Increment>
      </Base.Group>
    </Base.Root>
  );
}

interface SliderBasics extends FieldProps {
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly unit?: string;
  readonly disabled?: boolean;
}

export interface SliderFieldProps extends SliderBasics {
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A number within limits: dragged, or typed beside the slider. */
export function SliderField({ value, onChange, ...rest }: SliderFieldProps): JSX.Element {
  return <Sliding {...rest} value={value} standing={value} onChange={(next) => next !== null && onChange(next)} />;
}

export interface OptionalSliderFieldProps extends SliderBasics {
  /** null = not set. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  /** Where the slider stands while nothing is set. */
  readonly standing: number;
  /** Stands in place of the number while nothing is set: "Default". */
  readonly placeholder: string;
}

/** The same for a number that may stay unset: emptying the number unsets it. */
export function OptionalSliderField({ value, standing, ...rest }: OptionalSliderFieldProps): JSX.Element {
  return <Sliding {...rest} value={value} standing={value ?? standing} />;
}

type SlidingProps = Omit<OptionalSliderFieldProps, 'placeholder'> & { readonly placeholder?: string };

function Sliding({ label, hint, fault, bare, value, standing, onChange, step = 1, disabled = false, ...rest }: SlidingProps): JSX.Element {
  const { min, max, unit, placeholder } = rest;
  return (
    <Labelled {...{ label, hint, fault, bare }} drawn>
      {({ id, ...about }) => (
        <div
          className={`grid items-center gap-3 ${unit === undefined ? 'grid-cols-[minmax(0,1fr)_8rem]' : 'grid-cols-[minmax(0,1fr)_11rem]'}`}
        >
          <Slider.Root
            value={standing}
            onValueChange={(next: number) => onChange(next)}
            {...{ min, max, step, disabled }}
            aria-labelledby={labelId({ id })}
            className={value === null ? 'opacity-60' : ''}
          >
            <Slider.Control className="flex h-8 items-center touch-none pointer-coarse:h-11">
              <Slider.Track className="h-1 w-full rounded-full bg-rim">
                <Slider.Indicator className={`rounded-full ${value === null ? 'bg-rim' : 'bg-accent'}`} />
                <Slider.Thumb
                  id={id}
                  aria-labelledby={labelId({ id })}
                  className="size-4 rounded-full border border-accent bg-surface shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
                />
              </Slider.Track>
            </Slider.Control>
          </Slider.Root>
          <NumberInput
            {...{ label, min, max, step, value, disabled, onChange }}
            {...(unit !== undefined && { unit })}
            {...(placeholder !== undefined && { placeholder })}
            wiring={about}
          />
        </div>
      )}
    </Labelled>
  );
}
