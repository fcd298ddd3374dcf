import { type ComponentProps, type JSX, type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly fault?: string | null | undefined;
}

interface Wiring {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

function Labelled({ label, hint, fault, children }: FieldProps & { readonly children: (wiring: Wiring) => ReactNode }): JSX.Element {
  const id = useId();
  const about = [hint !== undefined && `${id}-hint`, Boolean(fault) && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': about || undefined, 'aria-invalid': fault ? true : undefined })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {fault && (
        <p id={`${id}-fault`} className="text-sm text-bad" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

type Own<T> = Omit<T, 'id' | 'aria-describedby' | 'aria-invalid'>;

/** A line of text with its label. */
export function TextField({ label, hint, fault, className = '', ...input }: FieldProps & Own<ComponentProps<'input'>>): JSX.Element {
  return (
    <Labelled label={label} hint={hint} fault={fault}>
      {(wiring) => <input {...input} {...wiring} className={`field ${className}`} />}
    </Labelled>
  );
}

/** Several lines of text with their label. */
export function TextArea({ label, hint, fault, className = '', ...area }: FieldProps & Own<ComponentProps<'textarea'>>): JSX.Element {
  return (
    <Labelled label={label} hint={hint} fault={fault}>
      {(wiring) => <textarea {...area} {...wiring} className={`field ${className}`} />}
    </Labelled>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** One of several, as the system offers it: it works on every phone. */
export function SelectField({
  label,
  hint,
  fault,
  choices,
  className = '',
  ...select
}: FieldProps & Own<ComponentProps<'select'>> & { readonly choices: readonly Choice[] }): JSX.Element {
  return (
    <Labelled label={label} hint={hint} fault={fault}>
      {(wiring) => (
        <select {...select} {...wiring} className={`field ${className}`}>
          {choices.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
