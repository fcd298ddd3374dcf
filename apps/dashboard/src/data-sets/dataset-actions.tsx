import { Link } from '@tanstack/react-router';
import { type JSX, lazy, Suspense, useState } from 'react';
import { messageOf } from '../api/console-error.js';
import { saveFrom } from '../api/save.js';
import { useChange } from '../api/use-call.js';
import { useAccount, useMayChange } from '../session/use-session.js';
import { announce } from '../ui/announcements.js';
import { buttonClass } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Menu, type MenuEntry } from '../ui/menu.js';
import type { DatasetDetails } from './shown-version.js';
import type { DatasetCommand } from './dataset-dialogs.js';
import { FileButton } from './upload/file-drop.js';
import { useUpload } from './upload/upload-panel.js';
import { uploads } from './upload/uploads.js';

const DatasetDialog = lazy(async () => ({ default: (await import('./dataset-dialogs.js')).DatasetDialog }));

interface DetailsProps {
  readonly details: DatasetDetails;
}

/** What can be done with a data set. */
export function DatasetActions({ details }: DetailsProps): JSX.Element | null {
  const { slug: account, role } = useAccount();
  const mayChange = useMayChange();
  const [asked, setAsked] = useState<DatasetCommand | null>(null);
  const { dataset } = details;
  const isUploading = useUpload(dataset.id) !== null;
  const save = useSave(details);
  if (!mayChange) return null;
  const entries: readonly MenuEntry[] = [
    { label: 'Download JSONL', icon: 'download', disabled: dataset.ready === null, onSelect: () => void save('canonical') },
    { label: 'Download the original file', icon: 'file', disabled: dataset.head === null, onSelect: () => void save('original') },
    { label: 'Import a version from a URL', icon: 'globe', onSelect: () => setAsked('import') },
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
      <Suspense>{asked && <DatasetDialog details={details} asked={asked} onClose={() => setAsked(null)} />}</Suspense>
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
