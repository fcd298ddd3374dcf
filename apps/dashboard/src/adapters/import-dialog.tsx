import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useEffect, useRef, useState } from 'react';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { nameFault, nameFrom } from '../data-sets/tuning-name.js';
import { FileButton } from '../data-sets/upload/file-drop.js';
import { formatBytes } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { useBases } from '../tuning/use-bases.js';
import { announce } from '../ui/announcements.js';
import { SelectField, TextArea, TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { ProgressBar } from '../ui/meter.js';
import { importAdapter, type ImportProgress } from './import-adapter.js';

interface Values {
  readonly name: string;
  readonly base: string;
  /** One a line. */
  readonly prompts: string;
}

/** A name for the adapter of a file: `support-v2-peft.tar` becomes `support`. */
export const adapterNameFrom = (file: string): string =>
  nameFrom(file.replace(/\.(?:tar|gguf|safetensors)$/i, '').replace(/-v\d+-(?:peft|gguf)$/, ''));

/** The lines of a text that hold something. */
const promptsOf = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

function promptsFault(prompts: readonly string[]): string | null {
  if (prompts.length > 8) return 'At most 8 prompts.';
  return prompts.some(({ length }) => length > 2_000) ? 'A prompt has at most 2,000 characters.' : null;
}

/** Takes an adapter that was made elsewhere. Closing it ends the upload; a check that has begun goes on. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { slug: account } = useAccount();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const bases = useBases();
  const [file, setFile] = useState<File>();
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const form = useForm<Values>({ defaultValues: { name: '', base: '', prompts: '' } });
  const stop = useRef(new AbortController());
  useEffect(() => {
    const own = stop.current;
    return () => own.abort();
  }, []);
  const choose = (next: File): void => {
    setFile(next);
    if (form.getValues('name') === '') form.setValue('name', adapterNameFrom(next.name));
  };
  const submit = async ({ name, base, prompts }: Values): Promise<void> => {
    if (!file) return;
    const own = promptsOf(prompts);
    const request = { name: name.trim(), ...(base !== '' && { base }), ...(own.length > 0 && { prompts: own }) };
    const { signal } = stop.current;
    try {
      const id = await importAdapter({ request, file, signal, onProgress: setProgress });
      announce(`Adapter ${request.name} imported.`);
      await navigate({ to: '/$account/fine-tuning/adapters/$id', params: { account, id: String(id) } });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      setProgress(null);
      void queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => String(key).startsWith('adapters/') });
    }
  };
  const choices = (bases.data?.bases ?? []).map(({ base }) => ({ value: base, label: base }));
  return (
    <FormDialog title="Import adapter" action="Import adapter" disabled={!file} {...{ form, submit, onClose }}>
      <p className="text-sm text-muted">
        A GGUF, a tar archive of adapter_config.json and adapter_model.safetensors, or what an export wrote. Pickled files are refused.
      </p>
      <ChosenFile file={file} onFile={choose} />
      <TextField
        label="Name"
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        hint="An adapter of this name gets a new version."
        {...fieldOf(form, 'name', { validate: without((text: string) => nameFault(text.trim())) })}
      />
      <SelectField
        label="Base"
        choices={[{ value: '', label: 'The one on the card in the file' }, ...choices]}
        hint="Exports have a card; other files need a base."
        {...fieldOf(form, 'base')}
      />
      <PromptsField form={form} />
      {progress && <ProgressBar label="Import" share={progress.share} text={progress.text} />}
    </FormDialog>
  );
}

function PromptsField({ form }: { readonly form: UseFormReturn<Values> }): JSX.Element {
  return (
    <TextArea
      label="Prompts it was trained for (optional)"
      rows={3}
      hint="One a line, at most 8. Needed for an adapter that answers ordinary questions as its base does."
      {...fieldOf(form, 'prompts', { validate: without((text: string) => promptsFault(promptsOf(text))) })}
    />
  );
}

function ChosenFile({ file, onFile }: { readonly file: File | undefined; readonly onFile: (file: File) => void }): JSX.Element {
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-3">
      <FileButton label={file ? 'Choose another file' : 'Choose a file'} accept=".tar,.gguf" onFile={onFile} />
      {file && (
        <span className="min-w-0 truncate text-sm" title={file.name}>
          {file.name} <span className="text-muted">({formatBytes(file.size)})</span>
        </span>
      )}
    </div>
  );
}
