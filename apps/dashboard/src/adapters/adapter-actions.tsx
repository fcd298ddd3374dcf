import type { AdapterView } from '@slipway/contracts';
import { useNavigate } from '@tanstack/react-router';
import { type JSX, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { saveFrom } from '../api/save.js';
import { useChange } from '../api/use-call.js';
import { RenameDialog } from '../data-sets/rename-dialog.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { Button, buttonClass } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { Icon } from '../ui/icon.js';
import { FormsMenu } from '../ui/export-menu.js';
import { Menu } from '../ui/menu.js';
import { adapterName } from './adapter-words.js';
import { DeployDialog } from './deploy-dialog.js';

interface AdapterProps {
  readonly adapter: AdapterView;
}

/** What can be done with an adapter. */
export function AdapterActions({ adapter }: AdapterProps): JSX.Element | null {
  const mayChange = useMayChange();
  const [asked, setAsked] = useState<'deploy' | 'rename' | 'delete' | null>(null);
  const save = useExport(adapter);
  if (!mayChange) return null;
  const close = (): void => setAsked(null);
  const isUsed = adapter.deployments.length > 0;
  return (
    <>
      <FormsMenu
        entries={[
          { label: 'PEFT (safetensors)', icon: 'file', onSelect: () => void save('peft') },
          { label: 'GGUF', icon: 'file', onSelect: () => void save('gguf') },
        ]}
      />
      <Button look="main" icon="rocket" data-shortcut="create" onClick={() => setAsked('deploy')}>
        Deploy
      </Button>
      <Menu
        label="More actions"
        trigger={<Icon name="more" />}
        triggerClass={buttonClass('plain')}
        entries={[
          { label: 'Rename', icon: 'edit', onSelect: () => setAsked('rename') },
          {
            label: isUsed ? 'Delete (it is deployed)' : 'Delete',
            icon: 'delete',
            danger: true,
            disabled: isUsed,
            onSelect: () => setAsked('delete'),
          },
        ]}
      />
      {asked === 'deploy' && <DeployDialog adapter={adapter} onClose={close} />}
      {asked === 'rename' && <RenameAdapter adapter={adapter} onClose={close} />}
      {asked === 'delete' && <DeleteDialog adapter={adapter} onClose={close} />}
    </>
  );
}

function useExport({ id }: AdapterView): (form: 'peft' | 'gguf') => Promise<void> {
  const change = useChange('adapters/export', []);
  return async (form) => {
    try {
      saveFrom((await change.mutateAsync({ adapter: id, form })).path);
    } catch (error) {
      announce(messageOf(error), 'bad');
    }
  };
}

interface DialogProps extends AdapterProps {
  readonly onClose: () => void;
}

function RenameAdapter({ adapter, onClose }: DialogProps): JSX.Element {
  const rename = useChange('adapters/rename', ['adapters/', 'datasets/find']);
  return (
    <RenameDialog
      thing="adapter"
      name={adapter.name}
      hint="All versions of the adapter get the name."
      onRename={async (name) => void (await rename.mutateAsync({ adapter: adapter.id, name }))}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ adapter, onClose }: DialogProps): JSX.Element {
  const { slug: account } = useAccount();
  const navigate = useNavigate();
  const remove = useChange('adapters/delete', ['adapters/list', 'datasets/find']);
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync({ adapter: adapter.id });
    announce(`Adapter ${adapterName(adapter)} deleted.`);
    await navigate({ to: '/$account/fine-tuning', params: { account }, search: { tab: 'adapters' } });
  };
  return (
    <ConfirmDialog title="Delete adapter" action="Delete adapter" typed={adapterName(adapter)} onConfirm={confirm} onClose={onClose}>
      Deletes this version of the adapter. Its bytes are removed after a day.
    </ConfirmDialog>
  );
}
