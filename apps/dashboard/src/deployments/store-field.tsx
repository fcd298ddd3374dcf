import type { JSX } from 'react';
import { Checkbox } from '../ui/toggles.js';
import type { DraftFieldsProps } from './draft-text.js';

/** Whether responses are stored. */
export const StoreField = ({ draft, onChange }: DraftFieldsProps): JSX.Element => (
  <Checkbox
    label="Store responses for an hour"
    hint="For clients of /v1/responses that refer to earlier answers instead of sending them again, as the AI SDK does. Changing this does not reload the model."
    checked={draft.storeResponses}
    onChange={(storeResponses) => onChange({ storeResponses })}
  />
);
