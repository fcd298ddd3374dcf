import type { JSX } from 'react';
import { TextField } from './field.js';

export interface EmailFieldProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly fault?: string | null;
  /** The address is settled, and shown for managers of passwords. */
  readonly isFixed?: boolean;
}

/** The address by which a person signs in. */
export function EmailField({ value, onValue, fault = null, isFixed = false }: EmailFieldProps): JSX.Element {
  return (
    <TextField
      label="Email"
      type="email"
      name="email"
      autoComplete="username"
      required
      readOnly={isFixed}
      fault={fault}
      value={value}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}
