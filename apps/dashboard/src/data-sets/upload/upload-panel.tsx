import { type JSX, useEffect, useSyncExternalStore } from 'react';
import { messageOf } from '../../api/console-error.js';
import { formatBytes, formatPercent } from '../../format/number.js';
import { announce } from '../../ui/announcements.js';
import { Button } from '../../ui/button.js';
import { ProgressBar } from '../../ui/meter.js';
import { Notice } from '../../ui/notice.js';
import { FileButton } from './file-drop.js';
import { type KeptUpload, type UploadProgress, uploads } from './uploads.js';

/** The upload into a data set, kept fresh; null = there is none. */
export const useUpload = (dataset: number): UploadProgress | null => useSyncExternalStore(uploads.subscribe, () => uploads.of(dataset));

export interface UploadPanelProps {
  readonly dataset: number;
  /** The upload that the address names; empty = none. */
  readonly named: string;
  /** Writes the upload into the address. */
  readonly onName: (id: string) => void;
  /** An upload has ended, one way or another. */
  readonly onEnd: () => void;
}

/** How far the upload into a data set is, and what can be done about it. It survives a reload by its id in the address. */
export function UploadPanel({ dataset, named, onName, onEnd }: UploadPanelProps): JSX.Element | null {
  const upload = useUpload(dataset);
  const kept = upload === null && named !== '' ? uploads.kept(dataset) : null;
  const isInterrupted = kept?.id === named;
  const id = upload?.id ?? '';
  useEffect(() => {
    if (id !== '' && id !== named) onName(id);
    if (upload === null && named !== '' && !isInterrupted) {
      onName('');
      onEnd();
    }
  });
  const cancel = (): void =>
    void uploads.cancel(dataset).then(
      () => {
        announce('Upload cancelled.');
        onName('');
        onEnd();
      },
      (error: unknown) => announce(messageOf(error), 'bad'),
    );
  if (upload !== null) return <Running upload={upload} onRetry={() => uploads.retry(dataset)} onCancel={cancel} />;
  return kept !== null && isInterrupted ? <Interrupted kept={kept} dataset={dataset} onCancel={cancel} /> : null;
}

const PHASES: Readonly<Record<Exclude<UploadProgress['phase'], 'failed'>, string>> = {
  checking: 'Reading',
  sending: 'Uploading',
  finishing: 'Storing',
};

interface RunningProps {
  readonly upload: UploadProgress;
  readonly onRetry: () => void;
  readonly onCancel: () => void;
}

function Running({ upload: { phase, fileName, bytes, share, message }, onRetry, onCancel }: RunningProps): JSX.Element {
  if (phase === 'failed') {
    const buttons = (
      <span className="flex gap-2">
        <Button icon="refresh" onClick={onRetry}>
          Continue upload
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel upload
        </Button>
      </span>
    );
    return (
      <Notice look="bad" action={buttons}>
        {fileName}: {message}
      </Notice>
    );
  }
  const done = phase === 'sending' ? `${formatBytes(share * bytes)} of ${formatBytes(bytes)}, ${formatPercent(share)}` : formatBytes(bytes);
  return (
    <div className="flex flex-wrap items-center gap-4 rounded-lg border border-line bg-surface p-4">
      <div className="min-w-0 flex-1 basis-64">
        <ProgressBar
          label={`Upload of ${fileName}`}
          share={phase === 'finishing' ? null : share}
          text={`${PHASES[phase]} ${fileName}: ${done}`}
        />
      </div>
      <Button onClick={onCancel}>Cancel upload</Button>
    </div>
  );
}

interface InterruptedProps {
  readonly kept: KeptUpload;
  readonly dataset: number;
  readonly onCancel: () => void;
}

/** After a reload the browser no longer has the file: the person chooses it again. */
function Interrupted({ kept, dataset, onCancel }: InterruptedProps): JSX.Element {
  return (
    <Notice
      look="warn"
      action={
        <span className="flex gap-2">
          <FileButton label="Choose the file again" onFile={(file) => uploads.resume(dataset, file, kept)} />
          <Button look="quiet" onClick={onCancel}>
            Cancel upload
          </Button>
        </span>
      }
    >
      The upload of {kept.fileName} ({formatBytes(kept.bytes)}) was interrupted. What arrived is kept for 24 hours.
    </Notice>
  );
}
