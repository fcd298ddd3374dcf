import type { ComponentProps, JSX } from 'react';
import { type FieldProps, Labelled, labelId } from './labelled.js';
import { Select, type SelectProps } from './select.js';

type Own<T> = Omit<T, 'id' | 'aria-describedby' | 'aria-invalid'>;

/** A line of text with its label. */
export function TextField({ label, hint, fault, bare, className = '', ...input }: FieldProps & Own<ComponentProps<'input'>>): JSX.Element {
  return (
    <Labelled {...{ label, hint, fault, bare }}>{(wiring) => <input {...input} {...wiring} className={`field ${className}`} />}</Labelled>
  );
}

/** Several lines of text with their label. */
export function TextArea({ label, hint, fault, bare, className = '', ...area }: FieldProps & Own<ComponentProps<'textarea'>>): JSX.Element {
  return (
    <Labelled {...{ label, hint, fault, bare }}>{(wiring) => <textarea {...area} {...wiring} className={`field ${className}`} />}</Labelled>
  );
}

/** One of a few, with its label; where there are more than a dozen, ComboboxField is searched by typing. */
export function SelectField({ label, hint, fault, bare, ...select }: FieldProps & Omit<SelectProps, 'wiring'>): JSX.Element {
  return (
    <Labelled {...{ label, hint, fault, bare }} drawn>
      {(wiring) => <Select {...select} wiring={{ ...wiring, 'aria-labelledby': labelId(wiring) }} />}
    </Labelled>
  );
}
