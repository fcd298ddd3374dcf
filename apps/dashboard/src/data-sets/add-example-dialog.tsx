import type { ConsoleReply, DatasetId, DatasetKind } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, useRef, useState } from 'react';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { call, useChange } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { Button } from '../ui/button.js';
import { ComboboxField } from '../ui/combobox-field.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { TextArea, TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { playgroundExample } from './example-text.js';
import { freeName, nameFault } from './tuning-name.js';
import { useDatasets } from './use-datasets.js';

/** A conversation of one question, as it was answered. */
export interface PlaygroundExample {
  readonly system: string;
  readonly user: string;
  readonly assistant: string;
  /** A worse answer to the same question; with it the example is a pair of a preference data set. */
  readonly rejected?: string;
}

export interface AddExampleDialogProps {
  readonly example: PlaygroundExample;
  readonly onClose: () => void;
}

/** Value of the choice that makes a data set. No data set can have this name. */
const NEW = '+';

interface Added {
  readonly name: string;
  readonly version: number;
}

/** Puts an answer of the playground into a data set, edited first. */
export function AddExampleDialog({ example, onClose }: AddExampleDialogProps): JSX.Element {
  const [added, setAdded] = useState<Added | null>(null);
  return added ? <Done added={added} onClose={onClose} /> : <Edit example={example} onAdded={setAdded} onClose={onClose} />;
}

/** What the form holds. */
type Values = Required<PlaygroundExample> & { readonly name: string };

function Edit({ example, onAdded, onClose }: AddExampleDialogProps & { readonly onAdded: (added: Added) => void }): JSX.Element {
  const isPair = example.rejected !== undefined;
  const kind = isPair ? 'preference' : 'sft';
  const datasets = (useDatasets().data ?? []).filter((one) => one.kind === kind);
  const [chosen, setChosen] = useState<string | null>(null);
  const [fault, setFault] = useState<string>();
  const form = useForm<Values>({ defaultValues: { rejected: '', ...example, name: '' } });
  const add = useAdd(kind);
  const target = chosen ?? (datasets.length === 0 ? NEW : null);
  const submit = async ({ name, rejected, ...texts }: Values): Promise<void> => {
    if (target === null) return setFault('Choose a data set.');
    const edited = isPair ? { ...texts, rejected } : texts;
    onAdded(await add(target === NEW ? { made: name.trim() } : { name: target }, edited));
    return undefined;
  };
  return (
    <FormDialog
      title={isPair ? 'Add a pair to a data set' : 'Add to data set'}
      action={isPair ? 'Add pair' : 'Add example'}
      {...{ form, submit, onClose }}
    >
      <ComboboxField
        label="Data set"
        choices={[
          ...datasets.map(({ name }) => ({ value: name, label: name })),
          { value: NEW, label: 'New data set', icon: 'plus' as const },
        ]}
        value={target}
        onChange={(value) => {
          setChosen(value);
          setFault(undefined);
          if (value === NEW && form.getValues('name') === '')
            form.setValue(
              'name',
              freeName(
                isPair ? 'preferences' : 'playground',
                datasets.map(({ name }) => name),
              ),
            );
        }}
        fault={fault}
        placeholder="Search data sets"
        nothing="No data set matches."
      />
      {target === NEW && (
        <TextField
          label="Name"
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          {...fieldOf(form, 'name', { validate: without((name: string) => nameFault(name.trim())) })}
        />
      )}
      <TextFields form={form} isPair={isPair} />
    </FormDialog>
  );
}

const filled = (value: string): string | true => value.trim() !== '' || 'Enter a text.';

/** The example as it stands. */
function TextFields({ form, isPair }: { readonly form: UseFormReturn<Values>; readonly isPair: boolean }): JSX.Element {
  const text = { rows: 3, className: 'max-h-60' } as const;
  const differs = (value: string): string | true =>
    value.trim() === form.getValues('assistant').trim() ? 'Both answers are the same.' : filled(value);
  return (
    <>
      <TextArea label="System prompt (optional)" {...text} rows={2} {...fieldOf(form, 'system')} />
      <TextArea label="Question" {...text} {...fieldOf(form, 'user', { validate: filled })} />
      <TextArea
        label={isPair ? 'Better answer' : 'Answer to learn'}
        {...text}
        rows={5}
        {...fieldOf(form, 'assistant', { validate: filled })}
      />
      {isPair && <TextArea label="Worse answer" {...text} rows={5} {...fieldOf(form, 'rejected', { validate: differs })} />}
    </>
  );
}

type Target = { readonly name: string } | { readonly made: string };

/** Adds an example as a new version. What was made already is not made again after a failure. */
function useAdd(kind: DatasetKind): (target: Target, example: PlaygroundExample) => Promise<Added> {
  const create = useChange('datasets/create', ['datasets/']);
  const change = useChange('versions/add-examples', ['datasets/', 'versions/']);
  const made = useRef<{ readonly name: string; readonly id: DatasetId } | null>(null);
  return async (target, example) => {
    if ('made' in target && made.current?.name !== target.made)
      made.current = { name: target.made, id: (await create.mutateAsync({ name: target.made, ...(kind !== 'sft' && { kind }) })).dataset };
    const { id, name, ready } = 'made' in target && made.current ? { ...made.current, ready: null } : await found(target);
    const request = { dataset: id, base_version: ready, examples: [playgroundExample(example)], origin: 'playground' as const };
    const { version } = await change.mutateAsync(request);
    return { name, version };
  };
}

/** The data set as it is this moment: an example goes onto its newest ready version. */
async function found(target: Target): Promise<ConsoleReply<'datasets/find'>['dataset']> {
  return (await call('datasets/find', { dataset: 'made' in target ? target.made : target.name })).dataset;
}

function Done({ added: { name, version }, onClose }: { readonly added: Added; readonly onClose: () => void }): JSX.Element {
  const { slug: account } = useAccount();
  return (
    <Dialog title="Example added" onClose={onClose}>
      <p>
        It is in version {version} of{' '}
        <Link to="/$account/data-sets/$name" params={{ account, name }} className="text-accent underline">
          {name}
        </Link>
        , which is being checked.
      </p>
      <DialogButtons>
        <Button look="main" onClick={onClose}>
          Done
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
