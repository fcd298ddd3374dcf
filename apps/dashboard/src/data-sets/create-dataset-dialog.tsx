import type { DatasetId } from '@slipway/contracts';
import { type JSX, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { formatBytes } from '../format/number.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { RadioCards } from '../ui/radio-cards.js';
import { freeName, nameFault, nameFrom } from './tuning-name.js';
import { FileButton } from './upload/file-drop.js';
import { uploads } from './upload/uploads.js';
import { UrlField, urlFault } from './url-field.js';

type Source = 'file' | 'url' | 'sample' | 'none';

const SOURCES: readonly { readonly value: Source; readonly title: string; readonly text: string }[] = [
  { value: 'file', title: 'Upload a file', text: 'JSONL, CSV or gzip: OpenAI, ShareGPT, Alpaca, prompt and completion, preferences.' },
  { value: 'url', title: 'Import from a URL', text: 'From a host that the operator allows.' },
  { value: 'sample', title: 'Sample', text: '30 conversations that teach a release codename.' },
  { value: 'none', title: 'Start empty', text: 'Add answers from the playground.' },
];

/** Name of the sample's data set. */
export const SAMPLE_NAME = 'release-codename';

export interface CreateDatasetDialogProps {
  /** A file that was dropped. */
  readonly file?: File | undefined;
  /** Names that exist. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
  /** @param name of the data set that was made */
  readonly onCreated: (name: string) => void;
}

/** Makes a data set and its first version. */
export function CreateDatasetDialog({ file: dropped, taken, onClose, onCreated }: CreateDatasetDialogProps): JSX.Element {
  const [file, setFile] = useState(dropped);
  const [source, setSource] = useState<Source>('file');
  const form = useForm({ defaultValues: { name: dropped ? freeName(nameFrom(dropped.name), taken) : '', url: '' } });
  const fill = useFill();
  const name = useWatch({ control: form.control, name: 'name' });
  const choose = (next: File): void => {
    setFile(next);
    if (name === '') form.setValue('name', freeName(nameFrom(next.name), taken));
  };
  const submit = async (values: { readonly name: string; readonly url: string }): Promise<void> => {
    await fill({ source, name: values.name.trim(), url: values.url.trim(), ...(file && { file }) });
    onCreated(values.name.trim());
  };
  const changeSource = (next: Source): void => {
    setSource(next);
    if (next === 'sample' && name === '') form.setValue('name', freeName(SAMPLE_NAME, taken));
  };
  return (
    <FormDialog title="New data set" action="Create data set" disabled={source === 'file' && !file} {...{ form, submit, onClose }}>
      <RadioCards label="Examples" cards={SOURCES} value={source} onChange={changeSource} />
      {source === 'file' && (
        <div className="flex min-w-0 flex-wrap items-center gap-3">
          <FileButton label={file ? 'Choose another file' : 'Choose a file'} onFile={choose} />
          {file && (
            <span className="min-w-0 truncate text-sm" title={file.name}>
              {file.name} <span className="text-muted">({formatBytes(file.size)})</span>
            </span>
          )}
        </div>
      )}
      {source === 'url' && <UrlField {...fieldOf(form, 'url', { validate: urlFault })} />}
      <TextField
        label="Name"
        autoComplete="off"
        spellCheck={false}
        maxLength={63}
        {...fieldOf(form, 'name', { validate: without((text: string) => nameFault(text.trim())) })}
      />
    </FormDialog>
  );
}

interface Filling {
  readonly source: Source;
  readonly name: string;
  readonly url: string;
  readonly file?: File;
}

/** Makes the data set and begins with its first version. A step that fails is tried again alone. */
function useFill(): (filling: Filling) => Promise<void> {
  const create = useChange('datasets/create', ['datasets/', 'tuning-use/']);
  const sample = useChange('versions/add-sample', ['datasets/']);
  const load = useChange('versions/import', ['datasets/']);
  const [made, setMade] = useState<{ readonly name: string; readonly id: DatasetId } | null>(null);
  return async ({ source, name, url, file }) => {
    const dataset = made?.name === name ? made.id : (await create.mutateAsync({ name })).dataset;
    setMade({ name, id: dataset });
    if (source === 'sample') await sample.mutateAsync({ dataset });
    if (source === 'url') await load.mutateAsync({ dataset, url });
    if (source === 'file' && file) uploads.begin(dataset, file);
  };
}
