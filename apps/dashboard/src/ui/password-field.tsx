import type { JSX } from 'react';
import { TextField } from './field.js';

export interface PasswordFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault?: string | null;
  /** Tells managers of passwords whether one is asked for or made. */
  readonly isNew?: boolean;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** A person's password. */
export function PasswordField({ label, hint, fault = null, isNew = false, value, onValue }: PasswordFieldProps): JSX.Element {
  return (
    <TextField
      label={label}
      type="password"
      name="password"
      autoComplete={isNew ? 'new-password' : 'current-password'}
      required
      {...(hint !== undefined && { hint })}
      fault={fault}
      value={value}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}
