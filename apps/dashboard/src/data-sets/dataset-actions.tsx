import type { AgentAccess } from '@slipway/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { useForm } from 'react-hook-form';
import { messageOf } from '../api/console-error.js';
import { saveFrom } from '../api/save-from.js';
import { useChange } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { buttonClass } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { TextField } from '../ui/field.js';
import { fieldOf, FormDialog, without } from '../ui/form.js';
import { Icon } from '../ui/icon.js';
import { Menu, type MenuEntry } from '../ui/menu.js';
import { RadioCards } from '../ui/radio-cards.js';
import type { DatasetDetails } from './data-set.screen.js';
import { nameFault } from './tuning-name.js';
import { FileButton } from './upload/file-drop.js';
import { useUpload } from './upload/upload-panel.js';
import { uploads } from './upload/uploads.js';

type Asked = 'rename' | 'access' | 'delete';

interface DetailsProps {
  readonly details: DatasetDetails;
}

/** What can be done with a data set. */
export function DatasetActions({ details }: DetailsProps): JSX.Element | null {
  const { slug: account, role } = useAccount();
  const mayChange = useMayChange();
  const [asked, setAsked] = useState<Asked | null>(null);
  const { dataset } = details;
  const isUploading = useUpload(dataset.id) !== null;
  const save = useSave(details);
  if (!mayChange) return null;
  const close = (): void => setAsked(null);
  const entries: readonly MenuEntry[] = [
    { label: 'Download JSONL', icon: 'download', disabled: dataset.ready === null, onSelect: () => void save('canonical') },
    { label: 'Download the original file', icon: 'file', disabled: dataset.head === null, onSelect: () => void save('original') },
    { label: 'Rename', icon: 'edit', onSelect: () => setAsked('rename') },
    ...(role === 'owner' ? [{ label: 'Agent access', icon: 'bot' as const, onSelect: () => setAsked('access') }] : []),
    { label: 'Delete', icon: 'delete', danger: true, onSelect: () => setAsked('delete') },
  ];
  return (
    <>
      {!isUploading && <FileButton label="Upload a version" onFile={(file) => uploads.begin(dataset.id, file)} />}
      {dataset.ready !== null && (
        <Link
          to="/$account/fine-tuning/new"
          params={{ account }}
          search={{ dataset: dataset.name }}
          className={buttonClass('main')}
          data-shortcut="create"
        >
          <Icon name="train" />
          Fine-tune
        </Link>
      )}
      <Menu label="More actions" trigger={<Icon name="more" />} triggerClass={buttonClass('plain')} entries={entries} />
      {asked === 'rename' && <RenameDialog details={details} onClose={close} />}
      {asked === 'access' && <AccessDialog details={details} onClose={close} />}
      {asked === 'delete' && <DeleteDialog details={details} onClose={close} />}
    </>
  );
}

/** Saves a file of the newest version: the checked examples of the newest ready one, or the file as it was uploaded. */
function useSave({ dataset }: DatasetDetails): (what: 'canonical' | 'original') => Promise<void> {
  const download = useChange('versions/download', []);
  return async (what) => {
    const version = what === 'canonical' ? dataset.ready : (dataset.head?.number ?? null);
    if (version === null) return;
    try {
      saveFrom((await download.mutateAsync({ dataset: dataset.id, version, what })).path);
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
  };
}

interface DialogProps extends DetailsProps {
  readonly onClose: () => void;
}

function RenameDialog({ details: { dataset }, onClose }: DialogProps): JSX.Element {
  const { slug: account } = useAccount();
  const navigate = useNavigate();
  const form = useForm({ defaultValues: { name: dataset.name } });
  const rename = useChange('datasets/rename', ['datasets/list', 'jobs/']);
  const submit = async ({ name }: { readonly name: string }): Promise<void> => {
    const renamed = await rename.mutateAsync({ dataset: dataset.id, name: name.trim() });
    onClose();
    void navigate({ to: '/$account/data-sets/$name', params: { account, name: renamed.name }, replace: true });
  };
  return (
    <FormDialog title="Rename data set" action="Rename" {...{ form, submit, onClose }}>
      <TextField
        label="Name"
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        hint="Commands and links that name it need the new name."
        {...fieldOf(form, 'name', { validate: without((text: string) => nameFault(text.trim())) })}
      />
    </FormDialog>
  );
}

const ACCESS: readonly { readonly value: AgentAccess; readonly title: string; readonly text: string }[] = [
  { value: 'none', title: 'Nothing', text: 'Agents do not see the data set.' },
  { value: 'stats', title: 'Figures and problems', text: 'Agents see states, statistics and the lines of problems, never text.' },
  { value: 'examples', title: 'Examples too', text: 'Agents read the text of examples. What an agent reads leaves this system.' },
];

function AccessDialog({ details: { dataset }, onClose }: DialogProps): JSX.Element {
  const [access, setAccess] = useState<AgentAccess>(dataset.agent_access);
  const form = useForm();
  const change = useChange('datasets/set-access', ['datasets/']);
  const submit = async (): Promise<void> => {
    await change.mutateAsync({ dataset: dataset.id, agent_access: access });
    announce('Agent access changed.');
    onClose();
  };
  return (
    <FormDialog title="Agent access" action="Save" {...{ form, submit, onClose }}>
      <RadioCards label="What the account’s MCP key may read" cards={ACCESS} value={access} onChange={setAccess} />
    </FormDialog>
  );
}

function DeleteDialog({ details, onClose }: DialogProps): JSX.Element {
  const { slug: account } = useAccount();
  const navigate = useNavigate();
  const { dataset, used_by: uses } = details;
  const remove = useChange('datasets/delete', ['datasets/list', 'jobs/', 'adapters/']);
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync({ dataset: dataset.id });
    announce(`Data set ${dataset.name} deleted.`);
    await navigate({ to: '/$account/data-sets', params: { account } });
  };
  const adapters = uses.filter(({ kind }) => kind === 'adapter').length;
  return (
    <ConfirmDialog
      title="Delete data set"
      action="Delete data set"
      typed={dataset.name}
      onConfirm={confirm}
      onClose={onClose}
      impact={adapters === 0 ? undefined : `${plural(adapters, 'adapter')} trained on it will stay and say so.`}
    >
      Deletes {plural(dataset.versions, 'version')} with all examples. Their bytes are removed after a day.
    </ConfirmDialog>
  );
}
