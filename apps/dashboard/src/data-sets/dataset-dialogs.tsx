import type { AgentAccess } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useChange } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { DATA_SET_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { fieldOf, FormDialog } from '../ui/form.js';
import { RadioCards } from '../ui/radio-cards.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { RenameDialog } from './rename-dialog.js';
import type { DatasetDetails } from './shown-version.js';
import { UrlField, urlFault } from './url-field.js';

/** What is asked before it is done with a data set. */
export type DatasetCommand = 'import' | 'rename' | 'access' | 'delete';

interface DialogProps {
  readonly details: DatasetDetails;
  readonly onClose: () => void;
}

/** The dialog of a command. */
export function DatasetDialog({ asked, ...dialog }: DialogProps & { readonly asked: DatasetCommand }): JSX.Element {
  if (asked === 'import') return <ImportDialog {...dialog} />;
  if (asked === 'rename') return <RenameDataset {...dialog} />;
  return asked === 'access' ? <AccessDialog {...dialog} /> : <DeleteDialog {...dialog} />;
}

function ImportDialog({ details: { dataset }, onClose }: DialogProps): JSX.Element {
  const [, set] = useUrlState(DATA_SET_SEARCH);
  const form = useForm({ defaultValues: { url: '' } });
  const load = useChange('versions/import', ['datasets/']);
  const last = useRef({ text: '', key: '' });
  const submit = async ({ url }: { readonly url: string }): Promise<void> => {
    const text = url.trim();
    // The same again, after a lost answer, makes no second version.
    if (last.current.text !== text) last.current = { text, key: crypto.randomUUID() };
    const { version } = await load.mutateAsync({ dataset: dataset.id, url: text, idempotency_key: last.current.key });
    announce(`Version ${version} is being fetched.`);
    set({ v: 0, tab: 'auto' });
    onClose();
  };
  return (
    <FormDialog title="Import a version" action="Import" {...{ form, submit, onClose }}>
      <UrlField {...fieldOf(form, 'url', { validate: urlFault })} />
    </FormDialog>
  );
}

function RenameDataset({ details: { dataset }, onClose }: DialogProps): JSX.Element {
  const { slug: account } = useAccount();
  const navigate = useNavigate();
  const rename = useChange('datasets/rename', ['datasets/list', 'jobs/']);
  const onRename = async (wanted: string): Promise<void> => {
    const { name } = await rename.mutateAsync({ dataset: dataset.id, name: wanted });
    void navigate({ to: '/$account/data-sets/$name', params: { account, name }, replace: true });
  };
  const hint = 'Commands and links that name it need the new name.';
  return <RenameDialog thing="data set" name={dataset.name} {...{ hint, onRename, onClose }} />;
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
