import type { ComponentProps, JSX } from 'react';
import { TextField } from '../ui/field.js';

/** True for the address of a file, else what is wrong with it. */
export const urlFault = (text: string): true | string =>
  /^https?:\/\/\S+$/.test(text.trim()) || 'Enter an address that begins with https://.';

/** The address of a training file. */
export const UrlField = (field: Omit<ComponentProps<typeof TextField>, 'label'>): JSX.Element => (
  <TextField
    label="URL"
    type="url"
    placeholder="https://huggingface.co/datasets/…/train.jsonl"
    hint="On a host that the operator allows in DATASET_HOSTS."
    {...field}
  />
);
