import type { ComponentProps, JSX } from 'react';
import { TextField } from './field.js';

export interface PasswordFieldProps extends Omit<ComponentProps<typeof TextField>, 'type' | 'autoComplete'> {
  /** Tells password managers whether a password is asked for or made. */
  readonly isNew?: boolean;
}

/** A person's password. */
export const PasswordField = ({ isNew = false, ...props }: PasswordFieldProps): JSX.Element => (
  <TextField type="password" autoComplete={isNew ? 'new-password' : 'current-password'} required {...props} />
);
