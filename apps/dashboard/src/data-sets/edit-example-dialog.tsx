import type { ExampleView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { DATA_SET_SEARCH } from '../searches.js';
import { announce } from '../ui/announcements.js';
import { TextArea } from '../ui/field.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { parseExample, prettyExample } from './example-text.js';

export interface EditExampleDialogProps {
  readonly dataset: number;
  /** The version that the example is of. */
  readonly version: number;
  readonly example: ExampleView;
  readonly onClose: () => void;
}

/** Replaces one example. The changed one comes last in the next version. */
export function EditExampleDialog({ dataset, version, example, onClose }: EditExampleDialogProps): JSX.Element {
  const form = useForm({ defaultValues: { json: prettyExample(example.json) } });
  const change = useChange('versions/add-examples', ['datasets/', 'versions/']);
  const [, set] = useUrlState(DATA_SET_SEARCH);
  const submit = async ({ json }: { readonly json: string }): Promise<void> => {
    const parsed = parseExample(json);
    if (typeof parsed === 'string') return;
    const request = { dataset, base_version: version, examples: [parsed], remove: [example.n], origin: 'edit' as const };
    const made = await change.mutateAsync(request);
    announce(`Version ${made.version} is being made.`);
    set({ v: 0 });
    onClose();
  };
  const check = (text: string): string | true => {
    const parsed = parseExample(text);
    return typeof parsed === 'string' ? parsed : true;
  };
  return (
    <FormDialog title={`Edit example ${example.n}`} action="Save as a new version" {...{ form, submit, onClose }}>
      <TextArea
        label="Example"
        rows={16}
        spellCheck={false}
        className="font-mono text-code"
        hint="One JSON object with “messages”. “weight”: 0 on an assistant message leaves it unlearned."
        {...fieldOf(form, 'json', { validate: check })}
      />
    </FormDialog>
  );
}
