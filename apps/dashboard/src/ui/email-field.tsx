import type { ComponentProps, JSX } from 'react';
import { TextField } from './field.js';

/** The address by which a person signs in. `readOnly`: it is fixed, and shown for password managers. */
export const EmailField = (props: Omit<ComponentProps<typeof TextField>, 'label' | 'type' | 'autoComplete'>): JSX.Element => (
  <TextField label="Email" type="email" autoComplete="username" required {...props} />
);
